// Peer (e): Fastify with its own proxy plugin (undici), which checks the token and streams the rest.
//
// Run as: node fastify_proxy.js PORT UPSTREAM_PORT
import { timingSafeEqual } from "node:crypto";

import proxy from "@fastify/http-proxy";
import fastify from "fastify";

const TOKEN = Buffer.from("Bearer bench-token");
const [port, upstreamPort] = process.argv.slice(2).map(Number);

const app = fastify();
await app.register(proxy, {
  upstream: `http://127.0.0.1:${upstreamPort}`,
  prefix: "/api/sl",
  rewritePrefix: "/b1s/v1",
  preHandler: async (request, reply) => {
    const sent = Buffer.from(request.headers.authorization ?? "");
    if (sent.length !== TOKEN.length || !timingSafeEqual(sent, TOKEN)) return reply.code(401).send();
  },
  replyOptions: {
    rewriteRequestHeaders: (_, headers) => ({ ...headers, cookie: "B1SESSION=bench" }),
  },
});
await app.listen({ port, host: "127.0.0.1" });
