/** Quick ways to give permissions: roles that the installation names, and those of another person. */
import { CheckField, SelectField } from "../../components/fields.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { EVERYTHING } from "./menu-routes.js";
import { givingRole, hasRole, isRoleFixed, takingRole } from "./roles.js";

/**
 * @param {object} props
 * @param {import("./roles.js").Role[]} props.roles
 * @param {{webUser: string, paths: string[]}[]} props.others whose permissions can be copied
 * @param {string[]} props.patterns what somebody has
 * @param {(patterns: string[]) => void} props.onChange
 */
export function RoleChoice({ roles, others, patterns, onChange }) {
  const hasAll = patterns.includes(EVERYTHING);
  const turn = (role) => (isOn) => onChange(isOn ? givingRole(patterns, role) : takingRole(patterns, role, roles));
  const copy = (webUser) => webUser && onChange([...others.find((each) => each.webUser === webUser).paths]);
  return html`${roles.length > 0 && html`<fieldset class="stack tight"><legend>${t`Roles`}</legend>
      ${roles.map((role) => html`<div key=${role.name}><${CheckField} label=${role.name} checked=${hasRole(patterns, role)} disabled=${hasAll || isRoleFixed(patterns, role)} onInput=${turn(role)} />
        ${role.description && html`<span class="small muted">${role.description}</span>`}</div>`)}
    </fieldset>`}
    ${others.length > 0 && html`<${SelectField} label=${t`Copiar de`} value="" empty=${t`Elegir persona…`} onInput=${copy} hint=${t`Reemplaza lo elegido por lo que tiene esa persona.`}
      options=${others.map(({ webUser }) => ({ value: webUser, label: webUser }))} />`}`;
}
