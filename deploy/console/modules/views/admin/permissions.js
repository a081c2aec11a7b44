/** Permissions of people: a list, and a dialog that changes one. */
import { listPermissions, readMenuRoutes } from "../../api/gateway.js";
import { TextField } from "../../components/fields.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table/table.js";
import { say } from "../../components/toasts.js";
import { moment } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { actorOf } from "./audit-words.js";
import { PermissionDialog } from "./permission-dialog.js";
import { PermissionWords } from "./permission-words.js";
import { permissionsWith } from "./roles.js";

const readAll = async () => {
  const [items, catalogue] = await Promise.all([listPermissions(), readMenuRoutes().catch(() => null)]); // routes can be typed without
  return { items, catalogue };
};

export function PermissionsPage() {
  const found = useLoaded(readAll, []);
  const [edited, setEdited] = useState(null);
  const [words, setWords] = useState("");
  const done = (text) => {
    setEdited(null);
    say(text);
    found.load();
  };
  const columns = [
    { key: "webUser", title: t`Usuario web`, head: true, cell: (row) => row.webUser },
    { key: "paths", title: t`Puede usar`, cell: (row) => html`<${PermissionWords} paths=${row.paths} catalogue=${found.data.catalogue} />` },
    { key: "updatedAt", title: t`Cambiado`, cell: (row) => html`${moment(row.updatedAt)}<span class="note">${t`por ${actorOf(row.updatedBy)}`}</span>` },
    { key: "edit", title: t`Cambiar`, quiet: true, controls: true, cell: (row) => html`<button type="button" class="small" aria-label=${t`Cambiar los permisos de ${row.webUser}`} onClick=${() => setEdited(row)}>${t`Cambiar`}</button>` },
  ];
  return html`<${PageHead} title=${t`Permisos`} about=${t`Qué puede usar cada usuario web. Los cambios actúan de inmediato, también en sesiones abiertas.`}>
      <button type="button" class="main" disabled=${!found.data} onClick=${() => setEdited({ webUser: "", paths: [] })}>${t`Dar permisos`}</button>
    <//>
    <${Loaded} from=${found}>${({ items, catalogue }) => html`<${TextField} label=${t`Buscar`} type="search" value=${words} onInput=${setWords} hint=${t`Una persona, un rol o lo que puede usar.`} />
      <section class="panel flush"><${Table} caption=${t`Permisos`} columns=${columns} rows=${permissionsWith(items, words, catalogue)} rowKey=${(row) => row.webUser} empty=${t`Nadie con eso. Pruebe con menos letras.`} /></section>`}<//>
    ${edited && html`<${PermissionDialog} key=${edited.webUser} permission=${edited} all=${found.data.items} catalogue=${found.data.catalogue} onClose=${() => setEdited(null)} onDone=${done} />`}`;
}
