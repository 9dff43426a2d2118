import { afterEach, describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createServer } from "node:http"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import type { EgressDecision, EgressProxy } from "../../../src/egress/mod.ts"
import { Journal, MemoryJournal } from "../../../src/journal/Journal.ts"
import { IsolatedShell } from "../../../src/leaves/isolated/mod.ts"
import type { ShellOutput } from "../../../src/command/ShellEvent.ts"
import { IsolatedHost } from "../../../src/leaves/isolated/IsolatedHost.ts"
import type { IsolationEngine } from "../../../src/leaves/isolated/IsolatedShellOptions.ts"
import { findHost } from "../../../src/host/findHost.ts"
import type { Host } from "../../../src/host/Host.ts"
import { behindWalls, engines, isolationWorks } from "../../support/isolation.ts"

const cleanups: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A web server of this machine, which the rules know as a.example. */
const startWeb = async (): Promise<number> => {
  const server = createServer((request, response) => {
    let bytes = 0
    request.on("data", (piece: Uint8Array) => void (bytes += piece.length))
    request.on("end", () => {
      const answer = `${request.method} ${request.url} ${request.headers.host} ${bytes}\n`
      response.end(request.url === "/big" ? new Uint8Array(20_000_000) : answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}

interface Isolated {
  readonly decisions: ReadonlyArray<EgressDecision>
  readonly journal: Journal["Service"]
  readonly run: (script: string, options?: { readonly commandId?: string }) => Promise<ShellOutput>
}

const isolated = async (
  network: EgressProxy.EgressProxyOptions,
  { engine, host }: { readonly engine?: IsolationEngine; readonly host?: Host } = {},
): Promise<Isolated> => {
  const decisions: Array<EgressDecision> = []
  const scope = Effect.runSync(Scope.make())
  cleanups.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const journal = await Effect.runPromise(Scope.provide(MemoryJournal.make({ chained: false }), scope))
  const onDecision = (decision: EgressDecision) => Effect.sync(() => void decisions.push(decision))
  const shell = await Effect.runPromise(
    IsolatedShell.make({ network: { onDecision, ...network }, engine }).pipe(
      Scope.provide(scope),
      Effect.provideContext(Context.make(Journal, journal)),
      host === undefined ? (made) => made : Effect.provideService(IsolatedHost, host),
    ),
  )
  return {
    decisions,
    journal,
    run: async (script, { commandId } = {}) => {
      const exec = ShellExec.shell(script, { streamOutput: false, mergeStreams: true, ...commandId && { commandId } })
      const output = (await Effect.runPromise(Stream.runCollect(shell.exec(exec)))).at(-1)
      if (output?._tag !== "ShellOutput") throw new Error("the command has not ended")
      return output
    },
  }
}

const local = () => Promise.resolve(["127.0.0.1"])

/** This machine without some programs. */
const hostWithout = (...names: ReadonlyArray<string>): Host => {
  const host = findHost()
  if (host === undefined) throw new Error("no process can be started here")
  const isMissing = (path: string): boolean => names.some((name) => path.endsWith(`/${name}`))
  return { ...host, fileKind: (path) => isMissing(path) ? "none" : host.fileKind(path) }
}

describe.runIf(isolationWorks).each(engines)("the network of a command isolated by %s", (engine) => {
  it("leads curl to the allowed host and no other, by HTTP and SOCKS, and journals both", async () => {
    const port = await startWeb()
    const { decisions, journal, run } = await isolated({
      allow: ["b.example"],
      privateHosts: [`a.example:${port}`],
      resolve: local,
    }, { engine })
    const proxied = `curl -sS --proxy socks5h://127.0.0.1:61080`
    const { stdout } = await run(
      `curl -sS http://a.example:${port}/x; curl -sSp http://a.example:${port}/y
       curl -sS http://b.example/; curl -sS http://c.example/; curl -sS https://c.example/
       ${proxied} http://a.example:${port}/z; ${proxied} http://c.example/
       curl -sS -T /bin/sh -o /dev/null -w '%{http_code} %{size_upload}\n' http://a.example:${port}/
       curl -sS http://a.example:${port}/big | wc -c`,
      { commandId: "c1" },
    )
    expect(stdout.split("\n")).toEqual([
      `GET /x a.example:${port} 0`,
      `GET /y a.example:${port} 0`,
      "sluice: b.example has an address that is not on the public Internet: allow it as a private host",
      "sluice: c.example is not among the allowed hosts",
      "curl: (56) CONNECT tunnel failed, response 403",
      `GET /z a.example:${port} 0`,
      expect.stringContaining("SOCKS5 connection to c.example"),
      expect.stringMatching(/^200 \d{5,}$/),
      "20000000",
      "",
    ])
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false, false, false, true, false, true, true])
    const entries = await Effect.runPromise(journal.read({ filter: { branch: "egress", correlationId: "c1" } }))
    expect(entries.map(({ body }) => body)).toEqual(decisions)
  })

  it("is reached by nothing else: no other address, no name server, no other socket", async () => {
    const port = await startWeb()
    const { run } = await isolated({ allow: ["a.example"], resolve: local }, { engine })
    const { stdout } = await run(
      `curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${port}/
       curl -sS --noproxy '*' --max-time 5 http://a.example:${port}/
       ls /tmp/sluice-* | grep -c :; grep -c : /proc/net/dev`,
    )
    expect(stdout).toMatch(/Failed to connect to 127\.0\.0\.1.*\n.*Could not resolve host: a\.example\n/)
    expect(stdout.trim().split("\n").slice(-1)).toEqual(["1"])
  })

  it("leaves the command's own loopback to it", async () => {
    const { run } = await isolated({ allow: ["a.example"], resolve: local }, { engine })
    const server =
      `perl -e 'socket(S,2,1,0);bind(S,pack("Sna4x8",2,8123,"\\x7f\\0\\0\\1"));listen S,1;print "up\n";close STDOUT;accept C,S;sysread C,$_,999;syswrite C,"HTTP/1.0 200 OK\\r\\n\\r\\nown\n"'`
    const { stdout } = await run(
      `${server} & until grep -q :1FBB /proc/net/tcp; do sleep 0.02; done; curl -sS http://localhost:8123/`,
    )
    expect(stdout).toBe("up\nown\n")
  })

  it("is only loopback by default, and the engine writes nothing itself", async () => {
    const script = `perl -e 'socket(S,2,1,0);bind(S,pack("Sna4x8",2,8123,"\\x7f\\0\\0\\1"));listen S,1;
      if(fork){accept C,S;syswrite C,"own\\n";close C;wait}else{socket(D,2,1,0);connect(D,pack("Sna4x8",2,8123,"\\x7f\\0\\0\\1"));print <D>}'`
    const { stderr, stdout } = await Effect.runPromise(behindWalls({ engine }, (each) => each(script)))
    expect([stdout, stderr]).toEqual(["own\n", ""])
  })

  it("ends with the command, whose exit code and background processes it leaves alone", async () => {
    const port = await startWeb()
    const { run } = await isolated({ allow: [], privateHosts: [`a.example:${port}`], resolve: local }, { engine })
    expect((await run(`curl -sS http://a.example:${port}/ >/dev/null; exit 7`)).exitCode).toBe(7)
    expect((await run("kill -USR1 $$")).signal).toBe("SIGUSR1")
    const outputs = await Promise.all(
      Array.from({ length: engine === "bwrap" ? 8 : 2 }, (_, at) => run(`curl -sS http://a.example:${port}/${at}`)),
    )
    expect(outputs.map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: engine === "bwrap" ? 8 : 2 }, (_, at) => `GET /${at} a.example:${port} 0\n`),
    )
  })
})

describe.runIf(isolationWorks).each(engines)("without perl, behind %s", (engine) => {
  it("socat leads to the proxy", async () => {
    const port = await startWeb()
    const network = { allow: [], privateHosts: [`a.example:${port}`], resolve: local }
    const { run } = await isolated(network, { engine, host: hostWithout("perl") })
    const { exitCode, stdout } = await run(
      `curl -sS http://a.example:${port}/x; curl -sS http://b.example; curl -sS http://a.example:${port}/big | wc -c; exit 3`,
    )
    expect(stdout).toBe(
      `GET /x a.example:${port} 0\nsluice: b.example is not among the allowed hosts\n20000000\n`,
    )
    expect(exitCode).toBe(3)
  })

  it("and without socat, no network is offered", async () => {
    const made = IsolatedShell.make({ network: { allow: ["a.example"] }, engine }).pipe(
      Effect.provideService(IsolatedHost, hostWithout("perl", "socat")),
      Effect.scoped,
      Effect.flip,
    )
    expect(await Effect.runPromise(made)).toMatchObject({
      _tag: "IsolationError",
      attempts: [{ engine, message: expect.stringContaining("install perl or socat") }],
    })
  })
})
