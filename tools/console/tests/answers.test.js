import assert from "node:assert/strict";
import { test } from "node:test";

import { readEvents } from "../../../deploy/console/modules/api/events.js";
import { asProblem, Problem, problemFrom } from "../../../deploy/console/modules/api/problem.js";
import { segment, send, sendForFile, withQuery } from "../../../deploy/console/modules/api/request.js";

/** An answer whose body comes in these pieces, and breaks off after them if so wished. */
function inPieces(pieces, breaksOff = false) {
  const waiting = pieces.map((piece) => new TextEncoder().encode(piece));
  const body = new ReadableStream({
    pull(controller) {
      if (waiting.length) controller.enqueue(waiting.shift());
      else if (breaksOff) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
  return new Response(body);
}

async function eventsOf(response) {
  const events = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

test("events are read however they are cut into pieces; comments are none", async () => {
  const response = inPieces([": vivo\n\nevent: prog", 'reso\ndata: {"hechos": 1}\n', '\ndata: {"a":\ndata: 2}\n\n']);
  assert.deepEqual(await eventsOf(response), [{ event: "progreso", data: { hechos: 1 } }, { event: "message", data: { a: 2 } }]);
});

test("a stream that breaks off is a problem of its own", async () => {
  await assert.rejects(eventsOf(inPieces(["event: progreso\n"], true)), { name: "Problem", code: "stream_ended" });
});

test("a refusal is told as the service told it, and as a status where nobody explained", async () => {
  const told = await problemFrom(Response.json({ code: "invalid_body", detail: "No.", errors: [{ path: "a", message: "Falta." }] }, { status: 400 }));
  assert.deepEqual([told.status, told.code, told.message, told.of("a"), told.of("b")], [400, "invalid_body", "No.", "Falta.", null]);
  const bare = await problemFrom(new Response("<html>", { status: 502, headers: { "Retry-After": "5" } }));
  assert.deepEqual([bare.code, bare.detail, bare.retryAfter], ["unknown", "El servidor respondió 502 sin explicación.", "5"]);
  assert.equal(asProblem(bare), bare);
});

test("what is empty is left out of a query, and segments are encoded", () => {
  assert.equal(withQuery("/sl/Orders", { $filter: "a eq 'b c'", $top: 5, $skip: "", formato: null }), "/sl/Orders?$filter=a%20eq%20'b%20c'&$top=5");
  assert.equal(withQuery("/sl", {}), "/sl");
  assert.equal(segment("C/1"), "C%2F1");
});

/** A service at which somebody signs in again, and what `fetch` was asked for. */
function scene(t, answers) {
  const asked = [];
  t.mock.method(globalThis, "fetch", async (path, { headers }) => {
    asked.push([path, headers.Authorization]);
    return answers.shift();
  });
  let token = "old";
  let person = "ana";
  const service = {
    base: "/api",
    credentials: () => ({ Authorization: token }),
    person: () => person,
    signInAgain: async () => {
      token = "new";
    },
    becomes: (other) => {
      person = other;
    },
  };
  return { service, asked };
}

const refused = () => Response.json({ code: "not_signed_in", detail: "Entre." }, { status: 401 });

test("after a 401 the request goes out once more, signed in anew, and never a third time", async (t) => {
  const { service, asked } = scene(t, [refused(), Response.json({ ok: true })]);
  assert.deepEqual(await (await send(service, "GET", "/x")).json(), { ok: true });
  assert.deepEqual(asked, [["/api/x", "old"], ["/api/x", "new"]]);
  const again = scene(t, [refused(), refused()]);
  await assert.rejects(send(again.service, "POST", "/x", { body: {} }), { status: 401 });
  assert.equal(again.asked.length, 2);
});

test("what one person typed is not sent for another who signed in", async (t) => {
  const { service, asked } = scene(t, [refused()]);
  const sending = send(service, "POST", "/x", { body: {} });
  service.becomes("luis");
  await assert.rejects(sending, { status: 401 });
  assert.equal(asked.length, 1);
});

test("no answer to a write tells to look first; to a read, to try again", async (t) => {
  t.mock.method(globalThis, "fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  const service = { base: "", credentials: () => ({}), person: () => "ana", signInAgain: async () => {} };
  await assert.rejects(send(service, "PATCH", "/x", { body: {} }), /Compruebe si el cambio quedó hecho/);
  await assert.rejects(send(service, "GET", "/x"), /No hay conexión/);
  await assert.rejects(send(service, "POST", "/x", { body: {}, isWrite: false }), (error) => error instanceof Problem && /No hay conexión/.test(error.detail));
});

test("a file is called as the service calls it", async (t) => {
  const names = { "attachment; filename*=UTF-8''a%C3%B1o.pdf": "año.pdf", 'attachment; filename="x.csv"': "x.csv", inline: "documento.pdf" };
  for (const [header, name] of Object.entries(names)) {
    const { service } = scene(t, [new Response("x", { headers: { "Content-Disposition": header } })]);
    assert.equal((await sendForFile(service, "GET", "/x")).name, name);
  }
});
