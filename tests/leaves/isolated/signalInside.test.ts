import { describe, expect, test } from "@effect/vitest"
import { enclose } from "../../../src/leaves/isolated/enclose.ts"
import { signalInside } from "../../../src/leaves/isolated/signalInside.ts"
import { findHost } from "../../../src/host/findHost.ts"
import type { Host, HostProcess } from "../../../src/host/Host.ts"
import type { ExitStatus } from "../../../src/shell/SpawnedProcess.ts"

const requireHost = (): Host => {
  const host = findHost()
  if (host === undefined) throw new Error("no host")
  return host
}

const engine: HostProcess = {
  pid: 1,
  stdin: undefined,
  stdout: undefined,
  stderr: undefined,
  onExit: () => {},
  kill: () => {},
  setRef: () => {},
}

/** The process that gets a signal where the launcher, process 2, has these children with their command lines. */
const signalled = (children: Readonly<Record<string, string>>): ReadonlyArray<number> => {
  const files: Readonly<Record<string, string>> = {
    "/proc/1/task/1/children": "2 ",
    "/proc/2/task/2/children": `${Object.keys(children).join(" ")} `,
    "/proc/2/cmdline": "perl\0launch\0",
    ...Object.fromEntries(Object.entries(children).map(([pid, line]) => [`/proc/${pid}/cmdline`, line])),
  }
  const sent: Array<number> = []
  let turns = 0
  const host: Host = {
    ...requireHost(),
    readsProc: true,
    readText: (path) => files[path],
    signal: (pid) => {
      sent.push(pid)
      return "sent"
    },
  }
  signalInside(host, engine, 2, "SIGTERM", () => turns++ > 0)
  return sent
}

describe("a signal to an isolated command", () => {
  test("reaches it whether or not the relay of its network still runs, and never the relay", () => {
    expect(signalled({ 3: "perl\0launch\0", 4: "sleep\0", 5: "orphan\0" })).toEqual([4])
    expect(signalled({ 4: "sleep\0", 5: "orphan\0" })).toEqual([4])
    expect(signalled({ 3: "", 4: "sleep\0" })).toEqual([4])
    // The command is still a copy of the launcher, which ignores signals.
    expect(signalled({ 3: "perl\0launch\0", 4: "perl\0launch\0" })).toEqual([])
  })

  test.runIf(process.platform === "linux")(
    "that ends its engine during setup is not a fault of the isolation",
    async () => {
      const statusOf = async (script: string): Promise<ExitStatus> => {
        const host = enclose(
          requireHost(),
          { reportsSignals: true, depth: 0, build: () => ({ file: "/bin/sh", args: ["-c", script], env: {} }) },
          {},
          { directory: "/", next: () => ({ path: "/dev/null", take: () => "" }), release: () => {} },
          undefined,
        )
        const request = {
          file: "/bin/true",
          args: [],
          cwd: "/",
          env: undefined,
          detached: false,
          verbatim: false,
        } as const
        const started = await host.spawn({ ...request, stdin: "null", stdout: "null", stderr: "null" })
        return new Promise((resolve) => started.onExit(resolve))
      }
      expect(await statusOf("exit 137")).toEqual({ exitCode: 137, signal: "SIGKILL" })
      expect((await statusOf("exit 1")).fault?.reason).toEqual({ _tag: "Unknown", code: "EISOLATION" })
    },
  )
})
