/** The name and the password of a sign-in. */
import { asProblem } from "../../api/problem.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { TextField } from "../fields.js";

/** A name and a password, sent once for each press; a password that was taken is forgotten at once. */
export function useSignIn(fixedUser, signIn) {
  const [user, setUser] = useState(fixedUser);
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(user, password);
      setPassword("");
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return { user, setUser, password, setPassword, problem, setProblem, isBusy, submit };
}

export function SignInFields({ door, form, fixed }) {
  return html`<${TextField} label=${door.userLabel} value=${form.user} onInput=${form.setUser} needed
      fault=${form.problem?.of(door.userPath)}
      inputProps=${{ name: "username", autocomplete: "username", autocapitalize: "none", spellcheck: false, readonly: fixed, autofocus: !fixed }} />
    <${TextField} label=${t`Contraseña`} type="password" value=${form.password} onInput=${form.setPassword} needed
      fault=${form.problem?.of(door.passwordPath)}
      inputProps=${{ name: "password", autocomplete: "current-password", autofocus: fixed }} />`;
}
