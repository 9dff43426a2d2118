/** Tests real programs through the network of isolated commands. On Deno alone: the programs are the same on every runtime. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Shell, ShellExec } from "@sluice/shell"
import type { EgressDecision } from "@sluice/shell/egress"
import { IsolatedShell } from "@sluice/shell/isolated"
import { engines, isolationWorks } from "../../../support/isolation.ts"
import { host, type Registry, startRegistry } from "./registry.ts"

/** The real path of a program, also behind a link. */
const programAt = (name: string): string =>
  realpathSync(spawnSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim() || "/")

const module = (path: string): string => fileURLToPath(new URL(`../../../../node_modules/${path}`, import.meta.url))

const directory = realpathSync(mkdtempSync(join(tmpdir(), "sluice-")))
let registry: Registry

beforeAll(async () => {
  mkdirSync(join(directory, "registry"))
  if (isolationWorks) registry = await startRegistry(join(directory, "registry"))
})

afterAll(async () => {
  await registry?.stop()
  rmSync(directory, { recursive: true, force: true })
})

interface Ended {
  readonly exitCode: number
  readonly text: string
  readonly decisions: ReadonlyArray<EgressDecision>
}

/** Runs a script behind walls that have the registry in their network. `$PLAIN` and `$SECURE` are its URLs. */
const run = async (engine: IsolatedShell.IsolationEngine, script: string): Promise<Ended> => {
  const decisions: Array<EgressDecision> = []
  const { authority, httpPort, httpsPort } = registry
  const work = realpathSync(mkdtempSync(join(directory, "work-")))
  const npm = programAt("npm")
  const programs = { node: module("node/bin/node"), deno: module("deno/deno"), bun: module("bun/bin/bun.exe"), npm }
  const scope = Effect.runSync(Scope.make())
  const shell = await Effect.runPromise(Scope.provide(
    IsolatedShell.make({
      engine,
      writable: [work],
      readable: [authority, dirname(dirname(npm)), ...Object.values(programs).map((path) => realpathSync(path))],
      network: {
        allow: [],
        privateHosts: [`${host}:${httpPort}`, `${host}:${httpsPort}`],
        resolve: () => Promise.resolve(["127.0.0.1"]),
        onDecision: (decision) => Effect.sync(() => void decisions.push(decision)),
      },
      env: {
        ...Object.fromEntries(Object.entries(programs).map(([name, path]) => [name.toUpperCase(), realpathSync(path)])),
        PLAIN: `http://${host}:${httpPort}`,
        SECURE: `https://${host}:${httpsPort}`,
        CURL_CA_BUNDLE: authority,
        GIT_SSL_CAINFO: authority,
        NODE_EXTRA_CA_CERTS: authority,
        DENO_CERT: authority,
        PIP_CERT: authority,
        ...{ GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "a@b.c" },
        ...{ npm_config_update_notifier: "false", npm_config_fund: "false", npm_config_audit: "false" },
        ...{ PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_ROOT_USER_ACTION: "ignore", npm_config_fetch_retries: "0" },
      },
    }),
    scope,
  ))
  const running = Shell.run(ShellExec.shell(script, { mergeStreams: true, streamOutput: false, timeout: "60 seconds" }))
  const { exitCode, stdout } = await Effect.runPromise(Effect.provideService(running, Shell, Shell.of(shell)))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  return { exitCode, text: stdout, decisions }
}

interface Case {
  /** Fetches from the registry. */
  readonly script: string
  readonly output: RegExp
  /** Fetches from another host, by HTTPS and, where bodies of proxies are shown, by HTTP. */
  readonly refused: string
  /** What the program shows of the refusal. */
  readonly shown: ReadonlyArray<string>
}

const why = "sluice: b.example is not among the allowed hosts"

const cases: Readonly<Record<string, Case>> = {
  curl: {
    script: "curl -sS $PLAIN/text && curl -sS $SECURE/text && curl -sS --proxy socks5h://127.0.0.1:61080 $SECURE/text",
    output: /^(from outside\n){3}$/,
    refused: "curl -sS http://b.example; curl -sS https://b.example; curl -sSv https://b.example 2>&1 | grep '< HTTP'",
    shown: [`${why}\ncurl: (56) CONNECT tunnel failed, response 403\n`, `< HTTP/1.1 403 ${why}`],
  },
  git: {
    script:
      `git clone -q $SECURE/repo.git r && cd r && wc -l < numbers && seq 30000 > numbers && git commit -qam second &&
      git push -q origin HEAD:refs/heads/second && git ls-remote -q $PLAIN/repo.git second | wc -l &&
      git push -q $PLAIN/repo.git :second`,
    output: /^20000\n1\n$/,
    refused: "git clone -q https://b.example/repo.git; git clone -q http://b.example/repo.git",
    shown: ["'https://b.example/repo.git/': CONNECT tunnel failed, response 403\n", `remote: ${why}\n`],
  },
  npm: {
    script: `cd $(mktemp -d) && $NODE $NPM install --silent --registry $SECURE --prefix $PWD fixture &&
      $NODE -p 'require("fixture")'`,
    output: /^from npm\n$/,
    refused: "$NODE $NPM view --registry https://b.example fixture",
    shown: [`403 403 ${why} - GET https://b.example/fixture`],
  },
  pip: {
    script: `cd $(mktemp -d) && python3 -m pip install -q --no-cache-dir -i $SECURE/simple --target t fixture &&
      PYTHONPATH=t python3 -c 'import fixture; print(fixture.text)'`,
    output: /^from pip\n$/,
    refused: "cd /tmp; python3 -m pip install -i https://b.example/simple --retries 1 --target t fixture",
    shown: [`Tunnel connection failed: 403 ${why}`],
  },
  node: {
    script: `$NODE -e 'for (const at of [process.env.PLAIN, process.env.SECURE])
      fetch(at + "/text").then((response) => response.text()).then((text) => process.stdout.write(text))'`,
    output: /^(from outside\n){2}$/,
    refused: "$NODE -e 'fetch(\"https://b.example\").catch(console.log)'",
    shown: ["Proxy response (403) !== 200 when HTTP Tunneling"],
  },
  deno: {
    script: `$DENO eval 'for (const at of [Deno.env.get("PLAIN"), Deno.env.get("SECURE")])
      console.log((await (await fetch(at + "/text")).text()).trim())'`,
    output: /^(from outside\n){2}$/,
    refused: `for at in http https; do $DENO eval "console.log(await (await fetch('$at://b.example')).text())"; done`,
    shown: [`${why}\n`, "client error (Connect): unsuccessful tunnel"],
  },
  bun: {
    script: `$BUN -e 'for (const at of [process.env.PLAIN, process.env.SECURE])
      console.log((await (await fetch(at + "/text")).text()).trim())'`,
    output: /^(from outside\n){2}$/,
    refused: `for at in http https; do $BUN -e "console.log(await (await fetch('$at://b.example')).text())"; done`,
    shown: [`${why}\n`, `Proxy refused to open a tunnel: 403 ${why}`],
  },
}

/** Behind the slower engine only those that bring something of their own: the relay and the proxy are the same. */
const programsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  bwrap: Object.keys(cases),
  unshare: ["git"],
}

describe.runIf(isolationWorks).each(engines)("behind %s", (engine) => {
  it.each(programsOf[engine] ?? [])(
    "%s reaches the allowed host, and shows why it does not reach another",
    async (name) => {
      const { output = /^$/, refused = "", script = "", shown = [] } = cases[name] ?? {}
      const reached = await run(engine, script)
      expect(reached.text).toMatch(output)
      expect([reached.exitCode, reached.decisions.length > 0, reached.decisions.every(({ allowed }) => allowed)])
        .toEqual(
          [0, true, true],
        )
      const failed = await run(engine, refused)
      expect(shown.filter((text) => !failed.text.includes(text))).toEqual([])
      expect([...new Set(failed.decisions.map(({ reason }) => reason))]).toEqual(["NotAllowed"])
    },
  )
})
