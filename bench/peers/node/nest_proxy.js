// Peer (d): the proxy that an ordinary competent programmer writes with NestJS and axios. A guard checks the
// token, connections to the upstream are kept, its body is handed on as it came; nothing else.
// Peer (f), with `json`: bodies are parsed and written again, which is what both do unless told otherwise.
//
// Run as: node nest_proxy.js PORT UPSTREAM_PORT [json] (decorators are called as functions: there is no compiler here)
import "reflect-metadata";
import { timingSafeEqual } from "node:crypto";
import { Agent } from "node:http";

import { HttpModule, HttpService } from "@nestjs/axios";
import { All, Controller, Module, Req, Res, UnauthorizedException, UseGuards } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { firstValueFrom } from "rxjs";

const TOKEN = Buffer.from("Bearer bench-token");
const [port, upstreamPort] = process.argv.slice(2, 4).map(Number);
const asJson = process.argv[4] === "json";

class TokenGuard {
  canActivate(context) {
    const sent = Buffer.from(context.switchToHttp().getRequest().headers.authorization ?? "");
    if (sent.length !== TOKEN.length || !timingSafeEqual(sent, TOKEN)) throw new UnauthorizedException();
    return true;
  }
}

class ProxyController {
  constructor(http) {
    this.http = http;
  }

  async pass(request, response) {
    const reply = await firstValueFrom(
      this.http.request({
        method: request.method,
        url: request.originalUrl.replace("/api/sl", "/b1s/v1"),
        data: request.method === "GET" ? undefined : asJson ? request.body : request.rawBody,
        headers: { Cookie: "B1SESSION=bench", "Content-Type": "application/json" },
      }),
    );
    response.status(reply.status).type("application/json").send(reply.data);
  }
}
Reflect.defineMetadata("design:paramtypes", [HttpService], ProxyController);
const pass = Object.getOwnPropertyDescriptor(ProxyController.prototype, "pass");
All("*resource")(ProxyController.prototype, "pass", pass);
Req()(ProxyController.prototype, "pass", 0);
Res()(ProxyController.prototype, "pass", 1);
UseGuards(TokenGuard)(ProxyController);
Controller("api/sl")(ProxyController);

class ProxyModule {}
Module({
  imports: [
    HttpModule.register({
      baseURL: `http://127.0.0.1:${upstreamPort}`,
      httpAgent: new Agent({ keepAlive: true }),
      responseType: asJson ? "json" : "arraybuffer",
      validateStatus: () => true,
    }),
  ],
  controllers: [ProxyController],
})(ProxyModule);

const app = await NestFactory.create(ProxyModule, { logger: false, rawBody: !asJson });
await app.listen(port, "127.0.0.1");
