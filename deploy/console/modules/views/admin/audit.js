/** The audit, searched. */
import { hrefTo } from "../../addresses.js";
import { readAudit } from "../../api/gateway.js";
import { SelectField, TextField } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { holding, ValueHelp } from "../../components/value-help.js";
import { html, useEffect, useState } from "../../html.js";
import { goTo } from "../../router.js";
import { t } from "../../texts.js";
import { readNames } from "../erp/names.js";
import { columnsFor, descriptionsFor, listOf, Records } from "./audit-table.js";
import { ACTIONS, RESULTS } from "./audit-words.js";

export const PAGE = 50;
const NAMES = ["usuario", "accion", "recurso", "clave", "resultado", "desde", "hasta"];

export function AuditPage({ query }) {
  const asked = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
  const page = Number(query.get("pagina") ?? 1);
  const [draft, setDraft] = useState(asked);
  useEffect(() => setDraft(asked), NAMES.map((name) => asked[name]));
  const found = useLoaded(async () => {
    const [listed, names] = await Promise.all([readAudit({ ...asked, page, pageSize: PAGE }), readNames()]);
    const descriptions = await descriptionsFor(listed.items, names);
    return { ...listed, names, columns: columnsFor(names, (name) => descriptions.get(name)) };
  }, [query.toString()]);
  const move = (next, pagina) => goTo(hrefTo(["auditoria"], { ...next, pagina: pagina > 1 ? pagina : "" }), { replace: true });
  const set = (name) => (value) => setDraft((now) => ({ ...now, [name]: value }));
  const apply = () => move(draft, 1);
  const fault = (name) => found.problem?.of(name);
  return html`<${PageHead} title=${t`Auditoría`} about=${t`Quién hizo qué, lo más nuevo primero. Nunca contiene valores.`} />
    <section class="panel flush">
      <header><${Form} submitsOnEnter class="row" onSubmit=${apply} label=${t`Condiciones`}>
        <${TextField} label=${t`Usuario`} value=${draft.usuario} onInput=${set("usuario")} fault=${fault("usuario")} />
        <${SelectField} label=${t`Acción`} value=${draft.accion} onInput=${set("accion")} options=${listOf(ACTIONS)} empty=${t`Todas`} />
        <${ValueHelp} label=${t`Recurso`} value=${draft.recurso} onInput=${set("recurso")} fault=${fault("recurso")} inputProps=${{ spellcheck: false }}
          options=${holding([...(found.data?.names ?? [])].filter(([name]) => name !== draft.recurso).map(([name, { one }]) => ({ value: name, label: one })), draft.recurso ?? "")} />
        <${TextField} label=${t`Clave`} value=${draft.clave} onInput=${set("clave")} fault=${fault("clave")} />
        <${SelectField} label=${t`Resultado`} value=${draft.resultado} onInput=${set("resultado")} options=${listOf(RESULTS)} empty=${t`Todos`} />
        <${TextField} label=${t`Desde`} type="date" value=${draft.desde} onInput=${set("desde")} fault=${fault("desde")} />
        <${TextField} label=${t`Hasta`} type="date" value=${draft.hasta} onInput=${set("hasta")} fault=${fault("hasta")} />
        <button type="submit">${t`Filtrar`}</button>
      <//></header>
      <${Loaded} from=${found} what=${t`Leyendo la auditoría…`}>${(data) => html`<${Records} found=${data} columns=${data.columns} empty=${t`Nada así está registrado. Quite alguna condición.`} onPage=${(pagina) => move(asked, pagina)} />`}<//>
    </section>`;
}
