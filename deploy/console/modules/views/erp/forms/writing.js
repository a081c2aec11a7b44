/** Sending a write once: under one key for as long as its content is the same. */
import { asProblem } from "../../../api/problem.js";
import { newIdempotencyKey } from "../../../api/records.js";
import { titleAt } from "../../../api/descriptions.js";
import { html, useRef, useState } from "../../../html.js";
import { hrefTo } from "../../../addresses.js";
import { t } from "../../../texts.js";
import { ProblemNote } from "../../../components/problem-note.js";
import { useInSight } from "../../../components/in-sight.js";

const DOUBTFUL = ["outcome_unknown", "first_outcome_unknown", "no_connection", "maybe_in_approval"];
const isDoubtful = (problem) => DOUBTFUL.includes(problem?.code);

/**
 * `mayBeDone` says that what was typed is on its way, or that nobody knows what became of it. `intended` is the last content with its
 * key, kept in the draft: what is sent again from there is still the same write.
 */
export function useWriting() {
  const [state, setState] = useState({ isBusy: false, problem: null });
  const intended = useRef({ content: null, key: null });
  const write = async (content, work) => {
    const text = JSON.stringify(content);
    if (intended.current.content !== text) intended.current = { content: text, key: newIdempotencyKey() };
    setState({ isBusy: true, problem: null });
    try {
      const done = await work(intended.current.key);
      setState({ isBusy: false, problem: null });
      return { done };
    } catch (error) {
      const problem = asProblem(error);
      setState({ isBusy: false, problem });
      return { problem };
    }
  };
  return { ...state, mayBeDone: state.isBusy || isDoubtful(state.problem), write, intended };
}

/** @param {{problem: any, described?: import("../../../api/descriptions.js").Description}} props */
export function WriteProblem({ problem, described }) {
  const box = useInSight(problem);
  return html`<div ref=${box}><${ProblemNote} problem=${problem} titleAt=${(path) => titleAt(described, path)}>${isDoubtful(problem) && html`<p><a href=${hrefTo(["escrituras"], { numero: problem.body.write?.id })}>${t`Ver qué se sabe de sus operaciones`}</a></p>`}<//></div>`;
}
