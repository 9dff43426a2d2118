import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Shell, ShellExec } from "@sluice/shell"
import { SshConnection, SshShell } from "@sluice/shell/ssh"
import { nasty } from "../local/nasty.ts"
import { random } from "../../support/random.ts"
import { rounds } from "../../support/rounds.ts"
import { hasDropbear, hasSshd, type SshServer, startDropbear, startSshd } from "../../support/sshd.ts"
import { canMakeUsers, makeUser, type ThrowAwayUser } from "../../support/throwAwayUser.ts"

const run = <A, E>(effect: Effect.Effect<A, E, Shell>, options: SshShell.SshShellOptions) =>
  Effect.runPromise(Effect.provide(effect, SshShell.layer(options)))

/** Any text that a process can be given: characters that shells read, of all lengths of UTF-8, and control characters. */
const alphabet = [..."'\"\\`$!#&*?()[]{}<>|;~^% \t\n\r\u0001\u001b\u007f=-+/.ab0é日😀", "\\n", "$(id)", "''", "{}"]

const makeLists = (count: number, seed: number): ReadonlyArray<ReadonlyArray<string>> => {
  const { int, pick } = random(seed)
  const word = (): string =>
    int(0, 3) === 0 ? pick(nasty) : Array.from({ length: int(0, 12) }, () => pick(alphabet)).join("")
  return Array.from({ length: count }, () => Array.from({ length: int(1, 8) }, word))
}

/** Gives lists of arguments to a program, which gives them back byte by byte. */
const giveBack = (lists: ReadonlyArray<ReadonlyArray<string>>, options: SshShell.SshShellOptions) =>
  run(
    Effect.forEach(lists, (list, at) =>
      Effect.gen(function* () {
        const program = ShellExec.make("printf", ["%s\\0", ...list])
        if (at % 5 !== 0) {
          const { stdout } = yield* Shell.run(program)
          return expect([at, stdout]).toEqual([at, `${list.join("\0")}\0`])
        }
        // The environment and the input carry the same words.
        const exec = ShellExec.make("sh", ["-c", 'printf "%s\\0" "$@" "$WORD"; cat', "sh", ...list], {
          env: { WORD: list[0] ?? "" },
          input: list[0] ?? "",
        })
        const { stdout } = yield* Shell.run(exec)
        expect([at, stdout]).toEqual([at, `${[...list, list[0]].join("\0")}\0${list[0]}`])
      }), { concurrency: 8, discard: true }),
    { ...options, maxConcurrency: 8 },
  )

const shells = ["/bin/bash", "/bin/dash", "/bin/busybox sh"].filter((shell) => existsSync(shell.split(" ")[0] ?? ""))

describe.runIf(hasSshd)("argument lists through sshd", () => {
  it("reach the program unchanged, for the login shell of this user", async () => {
    const server = await startSshd()
    await giveBack(makeLists(rounds(500), 1), server.options())
    server.close()
  })

  it.runIf(canMakeUsers).each(shells)("reach the program unchanged, for the login shell %s", async (shell) => {
    const folder = await startSshd()
    // A login shell is one file.
    const [file = "", applet] = shell.split(" ")
    const path = applet === undefined ? file : join(folder.folder, "login")
    if (applet !== undefined) writeFileSync(path, `#!/bin/sh\nexec ${file} ${applet} "$@"\n`, { mode: 0o755 })
    const user = makeUser(path)
    const server = await startSshd([`AllowUsers ${user.name}`], user.name)
    try {
      await giveBack(makeLists(rounds(500), 2), server.options())
    } finally {
      server.close()
      folder.close()
      user.remove()
    }
  })
})

describe.runIf(hasSshd && canMakeUsers)("a user of the system", () => {
  const within = async (shell: string, use: (user: ThrowAwayUser) => Promise<void>, password?: string) => {
    const user = makeUser(shell, password)
    try {
      await use(user)
    } finally {
      user.remove()
    }
  }

  it("is authenticated by a password, or by answers to questions", () =>
    within("/bin/sh", async (user) => {
      const server = await startSshd(
        ["UsePAM yes", "PasswordAuthentication yes", "KbdInteractiveAuthentication yes"],
        user.name,
      )
      const password = Redacted.make("c0rrect horse")
      const wrong = Redacted.make("wrong")
      const connect = (auth: SshShell.SshShellOptions["auth"]) =>
        Effect.runPromise(Effect.result(Effect.scoped(SshConnection.make({ ...server.options(), auth }))))
      expect(await connect({ password })).toMatchObject({ _tag: "Success" })
      const asked: Array<string> = []
      const keyboardInteractive = (questions: ReadonlyArray<{ readonly prompt: string; readonly echo: boolean }>) => {
        asked.push(...questions.map(({ echo, prompt }) => `${prompt.trim()} ${echo}`))
        return questions.map(() => password)
      }
      expect(await connect([{ keyboardInteractive }])).toMatchObject({ _tag: "Success" })
      expect(asked).toEqual(["Password: false"])
      const refused = await connect([{ password: wrong }, {
        keyboardInteractive: () => Promise.reject(new Error("no")),
      }])
      expect(refused).toMatchObject({
        failure: { reason: { _tag: "AuthRefused", tried: ["password", "keyboardInteractive"] } },
      })
      expect(JSON.stringify(refused)).not.toMatch(/wrong|c0rrect/)
      server.close()
    }, "c0rrect horse"))

  it("without a login shell runs nothing, which a typed error says", () =>
    within("/usr/sbin/nologin", async (user) => {
      const server = await startSshd([], user.name)
      const shell = SshShell.make({ ...server.options(), connectTimeout: "5 seconds" })
      const error = await Effect.runPromise(Effect.flip(Effect.scoped(shell)))
      expect(error).toMatchObject({ _tag: "SshError", reason: { _tag: "LoginShellFailed" } })
      server.close()
    }))

  it.runIf(hasDropbear)(
    "runs commands on Dropbear: output, exits, timeouts, the end of a tree",
    () =>
      within("/bin/sh", async (user) => {
        const server: SshServer = await startDropbear(user.name, user.home)
        user.own(user.home)
        await run(
          Effect.gen(function* () {
            const echoed = yield* Shell.run(ShellExec.shell("cat; echo err >&2; exit 3", { input: "in" })).pipe(
              Effect.result,
            )
            expect(echoed).toMatchObject({ success: { exitCode: 3, stdout: "in", stderr: "err\n" } })
            expect(yield* Shell.run(ShellExec.shell("kill -KILL $$"))).toMatchObject({ signal: "SIGKILL" })
            const beat = join(user.home, "beat")
            const script =
              `trap '' TERM; (trap '' TERM; while :; do printf . >> ${beat}; sleep 0.02; done) & wait; wait`
            const size = (): number => statSync(beat, { throwIfNoEntry: false })?.size ?? 0
            const fault = yield* Effect.flip(
              Shell.run(ShellExec.shell(script, { timeout: "500 millis", grace: "100 millis" })),
            )
            expect(fault).toMatchObject({ reason: { _tag: "Timeout" } })
            const before = size()
            expect(before).toBeGreaterThan(2)
            yield* Effect.sleep("200 millis")
            expect(size()).toBe(before)
            const nameless = yield* Effect.flip(Shell.run(ShellExec.shell("kill -BUS $$")))
            expect(nameless).toMatchObject({ reason: { _tag: "Unknown", code: "ENOSTATUS" } })
          }),
          server.options(),
        )
        server.close()
      }),
  )
})
