/** Permissions of one person that are being changed. */
import { listPeople, removePermissions, replacePermissions } from "../../api/gateway.js";
import { asProblem } from "../../api/problem.js";
import { useLoaded } from "../../components/loading.js";
import { useForm } from "../../forms/form.js";
import { useState } from "../../html.js";
import { gateway } from "../../session/gateway-session.js";
import { t } from "../../texts.js";
import { changeOf, doubtAbout, lackDoubt } from "./permission-doubts.js";
import { lacksOf } from "./roles.js";

const READY = { isBusy: false, problem: null };

/**
 * @param {{webUser: string, paths: string[], updatedAt?: string}} permission
 * @param {any[] | null} known what the installation knows; null where it could not be read
 * @param {(text: string) => void} onDone
 */
export function usePermission(permission, known, onDone) {
  const isNew = permission.webUser === "";
  const [typed, setTyped] = useState(permission.webUser);
  const [text, setText] = useState(permission.paths.join("\n"));
  const [doubt, setDoubt] = useState(null); // a reason to ask once more before saving
  const [isRemoving, setRemoving] = useState(false);
  const [state, setState] = useState(READY);
  const people = useLoaded(() => (isNew ? listPeople() : Promise.resolve([])), []);
  const user = isNew ? typed.trim() : typed;
  const paths = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const lacks = known ? lacksOf(paths, known) : [];
  const isTouched = (isNew && typed !== "") || text !== permission.paths.join("\n");
  const form = useForm({
    service: gateway, name: `permisos/${permission.webUser}`, typed: { user: typed, text }, isTouched, isHeld: isTouched && !state.isBusy,
    restore: (draft) => {
      setTyped(draft.user);
      setText(draft.text);
    },
    stamp: permission.updatedAt ?? null, refusal: state.problem,
  });
  const attempt = async (work) => {
    setState({ isBusy: true, problem: null });
    try {
      await work();
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const finish = (work, told) => attempt(async () => {
    await work();
    form.saved();
    onDone(told);
  });
  const give = () => finish(() => replacePermissions(user, paths), t`Permisos de ${user} guardados.`);
  const giveUnlessInDoubt = () => attempt(async () => {
    const found = (await (isNew ? doubtAbout(user, people.data) : changeOf(permission))) ?? lackDoubt(lacks);
    if (!found) return give();
    setDoubt(found);
    return setState(READY);
  });
  return {
    ...state, form, isNew, typed, user, text, paths, people: people.data ?? [], doubt, isRemoving, lacks,
    after: isRemoving ? [] : paths,
    save: doubt ? give : giveUnlessInDoubt,
    remove: () => (isRemoving ? finish(() => removePermissions(user), t`Permisos de ${user} quitados.`) : setRemoving(true)),
    type: (name) => {
      setTyped(name);
      setDoubt(null);
    },
    change: (next) => {
      setText(next);
      setRemoving(false);
      setDoubt((now) => (now?.isAboutRoutes ? null : now));
    },
  };
}
