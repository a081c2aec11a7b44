// How a script for Node tries its client: a line of JSON for each call, with what went wrong or null.
export async function attempt(call, work) {
  let result;
  let error = null;
  try {
    result = await work();
  } catch (problem) {
    error = `${problem.name}: ${problem.message} ${problem.rootCause?.message ?? ""}`.trim();
  }
  console.log(JSON.stringify({ call, error }));
  return result;
}

export function demand(holds, what) {
  if (!holds) throw new Error(`unexpected: ${JSON.stringify(what)}`);
}
