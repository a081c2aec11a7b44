/** Permissions of people: a list, and a dialog that changes one. */
import { listMenuRoutes, listPermissions } from "../../api/gateway.js";
import { Badge } from "../../components/badge.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table/table.js";
import { say } from "../../components/toasts.js";
import { moment } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { actorOf } from "./audit-words.js";
import { EVERYTHING, unknownOf } from "./menu-routes.js";
import { PermissionDialog } from "./permission-dialog.js";

const readAll = async () => {
  const [items, known] = await Promise.all([listPermissions(), listMenuRoutes().catch(() => null)]); // routes can be typed without
  return { items, known };
};

export function PermissionsPage() {
  const found = useLoaded(readAll, []);
  const [edited, setEdited] = useState(null);
  const done = (text) => {
    setEdited(null);
    say(text);
    found.load();
  };
  const columns = [
    { key: "webUser", title: t`Usuario web`, head: true, cell: (row) => row.webUser },
    { key: "paths", title: t`Puede usar`, cell: (row) => html`<${Paths} paths=${row.paths} known=${found.data.known} />` },
    { key: "updatedAt", title: t`Cambiado`, cell: (row) => html`${moment(row.updatedAt)}<span class="note">${t`por ${actorOf(row.updatedBy)}`}</span>` },
    { key: "edit", title: t`Cambiar`, quiet: true, controls: true, cell: (row) => html`<button type="button" class="small" aria-label=${t`Cambiar los permisos de ${row.webUser}`} onClick=${() => setEdited(row)}>${t`Cambiar`}</button>` },
  ];
  return html`<${PageHead} title=${t`Permisos`} about=${t`Qué puede usar cada usuario web. Los cambios actúan de inmediato, también en sesiones abiertas.`}>
      <button type="button" class="main" disabled=${!found.data} onClick=${() => setEdited({ webUser: "", paths: [] })}>${t`Dar permisos`}</button>
    <//>
    <${Loaded} from=${found}>${({ items }) => html`<section class="panel flush"><${Table} caption=${t`Permisos`} columns=${columns} rows=${items} rowKey=${(row) => row.webUser} /></section>`}<//>
    ${edited && html`<${PermissionDialog} key=${edited.webUser} permission=${edited} known=${found.data.known} onClose=${() => setEdited(null)} onDone=${done} />`}`;
}

function Paths({ paths, known }) {
  if (paths.includes(EVERYTHING)) return html`<${Badge} kind="now">${t`Todo, también administrar`}<//>`;
  const unknown = known ? unknownOf(paths, known) : [];
  return html`<span class="mono small">${paths.join("  ") || t`nada`}</span>
    ${unknown.length > 0 && html`<span class="note"><${Badge} kind="warn">${unknown.length === 1 ? t`Ruta desconocida` : t`Rutas desconocidas`}<//> <span class="mono">${unknown.join("  ")}</span></span>`}`;
}
