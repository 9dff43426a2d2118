/** Runs scripts with the installed curl or wget and in a sandbox, against one server, and compares all that they do. */
import { expect, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "../../../../src/sandbox/mod.ts"
import { type Asked, type HttpTestServer, startServer } from "./server.ts"

/** Files that scripts find. */
export const inputs: Readonly<Record<string, string>> = {
  "data.txt": "one=1\r\ntwo=2\n",
  "page.html": "<p>hi</p>\n",
  "lines.csv": "a,b\n1,2\n",
  "headers.txt": "X-From-File: yes\nX-Also: ä\n",
  "part.txt": Array.from({ length: 10 }, (_, at) => `line ${at}\n`).join(""),
  "jar.txt": "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsaved\tyes\n",
}

export interface Result {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly files: Readonly<Record<string, string>>
  readonly asked: ReadonlyArray<string>
}

/** Whether a program and bubblewrap are installed. */
export const has = (program: string): boolean =>
  spawnSync(program, ["--version"]).status === 0 && spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0

const boundary = /-{8,}[\da-zA-Z]{16,}/g

/** A request without what may differ: the name of the program, codings it takes, waits for 100, the order of headers. */
const shown = ({ body, headers, method, path }: Asked): string => {
  const kept = headers.filter(([name]) => !/^(user-agent|accept-encoding|connection|expect)$/i.test(name))
  const lines = kept.map(([name, value]) => `${name}: ${value}`).sort()
  return [`${method} ${path}`, ...lines, body].join("\n").replace(boundary, "BOUNDARY")
}

const takeAsked = (server: HttpTestServer): ReadonlyArray<string> => {
  server.forget()
  return server.asked.splice(0).map(shown)
}

const runReal = async (script: string, server: HttpTestServer): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-curl-"))
  try {
    for (const [name, content] of Object.entries(inputs)) writeFileSync(join(folder, name), content)
    const walls = ["--ro-bind", "/", "/", "--bind", folder, folder, "--dev", "/dev", "--unshare-pid", "--chdir", folder]
    const env = { PATH: "/usr/bin:/bin", HOME: folder, LC_ALL: "C.UTF-8", TZ: "UTC", U: server.origin }
    const child = spawn("bwrap", [...walls, "bash", "-c", script], { env, stdio: ["ignore", "pipe", "pipe"] })
    const outputs = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => outputs.stdout += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => outputs.stderr += text)
    const [exitCode]: ReadonlyArray<unknown> = await once(child, "close")
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return {
      exitCode: Number(exitCode),
      ...outputs,
      files: Object.fromEntries(files.map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [path.slice(folder.length + 1), readFileSync(path, "latin1")]
      })),
      asked: takeAsked(server),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const latin = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

const runOurs = async (script: string, server: HttpTestServer): Promise<Result> => {
  await using sandbox = await Sandbox.open({
    files: inputs,
    cwd: "/w",
    env: { HOME: "/w", TZ: "UTC", LC_ALL: "C.UTF-8", U: server.origin },
    network: { origins: [server.origin, "http://127.0.0.1:1"] },
    timeout: "60 seconds",
  })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
  const list = await sandbox.run("find . -type f", { check: false })
  const files: Record<string, string> = {}
  for (const line of list.stdout.split("\n").filter((text) => text !== "")) {
    files[line.slice(2)] = latin(await sandbox.readFile(`/w/${line.slice(2)}`))
  }
  return { exitCode, stdout, stderr, files, asked: takeAsked(server) }
}

/** Tests that scripts do the same as with the installed program. `errors`: also their messages. */
export const compareWith = (program: string, title: string, scripts: ReadonlyArray<string>, isQuiet = true): void => {
  it.skipIf(!has(program))(`${title} (needs ${program} and bubblewrap)`, { timeout: 120_000 }, async () => {
    const server = await startServer()
    const wrong: Array<string> = []
    try {
      for (const script of scripts) {
        const expected = await runReal(script, server)
        const found = await runOurs(script, server)
        const parts = ["exitCode", "stdout", "files", "asked", ...(isQuiet ? ["stderr"] as const : [])] as const
        for (const part of parts) {
          const [one, two] = [JSON.stringify(expected[part], sorted), JSON.stringify(found[part], sorted)]
          if (one !== two) {
            wrong.push(
              `${script}\n  ${part}\n  - ${one?.slice(0, 1500)}\n  + ${
                two?.slice(0, 1500)
              }\n  ${expected.stderr}${found.stderr}`,
            )
          }
        }
      }
    } finally {
      await server.close()
    }
    expect(wrong.join("\n")).toBe("")
  })
}

const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
    : value
