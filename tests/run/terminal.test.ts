import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { $, run, Runner, secret, shell } from "../../src/run/mod.ts"
import { eventually } from "../support/eventually.ts"
import { processesWith } from "../support/processesWith.ts"

const onLinux = it.runIf(process.platform === "linux")

onLinux("waits for output of a terminal, types into it, and ends with the command", async () => {
  const script =
    `test -t 0 && stty size; printf 'Name? '; read name; printf '\\033[1mhello\\033[0m %s\\n' "$name"; read x; exit 3`
  await using session = await run("sh", ["-c", script]).terminal({ cols: 90, rows: 20 })
  await session.waitFor("Name? ")
  expect(session.output).toBe("20 90\nName? ")
  await session.send("Ada\n")
  expect(await session.waitFor(/hello \w+/g)).toBe("hello Ada")
  await session.send("\n")
  expect(await session.exited).toMatchObject({ exitCode: 3, ok: false })
  const late = await session.waitFor("never").catch((error: unknown) => error)
  expect(late).toMatchObject({ _tag: "TerminalWaitError", reason: { _tag: "Ended" } })
  expect(String(late)).toMatch(/has ended: "never" did not come; it wrote:\n[^]*hello Ada/)
  await expect(session.send("x")).rejects.toMatchObject({ reason: { _tag: "Ended" } })
})

onLinux("says what was written when a wait is over, without secrets", async () => {
  const password = secret("hunter2secret", "password")
  await using session = await shell`read word; echo "got $word ${secret("other-secret")}"; sleep 60`.terminal()
  await session.send(password)
  await session.send("\n")
  await session.waitFor("got ")
  const error = await session.waitFor("a prompt", { timeout: "50ms" }).catch((error: unknown) => error)
  expect(error).toMatchObject({ _tag: "TerminalWaitError", reason: { _tag: "Timeout" } })
  expect(String(error)).toMatch(/"a prompt" did not come in 50 ms; it wrote:[^]*got <redacted:password> <redacted>/)
  expect(String(error)).not.toMatch(/hunter2secret|other-secret/)
})

onLinux("types what concurrent calls send in their order, nothing lost", async () => {
  await using session = await run("sh", ["-c", 'stty -echo; echo ready; while read line; do echo "<$line>"; done'])
    .terminal()
  await session.waitFor("ready")
  const words = ["one", "two", "three", "four", "five"]
  await Promise.all(words.map((word) => session.send(`${word}\n`)))
  await session.waitFor("<five>")
  expect(session.output.match(/<\w+>/g)).toEqual(words.map((word) => `<${word}>`))
})

onLinux("waits for output after a text that is still being sent", async () => {
  await using session = await run("sh", ["-c", 'stty -echo; echo ready; read line; echo "ready: $line"']).terminal()
  await session.waitFor("ready")
  const [, found] = await Promise.all([session.send("one\n"), session.waitFor(/ready.*\n/)])
  expect(found).toBe("ready: one\n")
})

onLinux("waits as long as it is told, also for months or for ever", async () => {
  await using session = await run("sh", ["-c", "read line; echo done"]).terminal()
  const waits = Promise.all(
    (["30d", Infinity, 30 * 86_400_000] as const).map((timeout) => session.waitFor("done", { timeout })),
  )
  // One more turn than a timer of no delay needs.
  await session.waitFor("never", { timeout: 20 }).catch(() => {})
  await session.send("\n")
  expect(await waits).toEqual(["done", "done", "done"])
})

onLinux("ends the whole tree when the session is left or its signal aborts", async () => {
  const marker = `${process.pid}.77`
  {
    await using session = await run("sh", ["-c", `sleep ${marker} & trap '' HUP; echo up; sleep ${marker}`]).terminal()
    await session.waitFor("up")
  }
  await Effect.runPromise(eventually("none is left", () => processesWith(`sleep\0${marker}`).length === 0))
  const abort = new AbortController()
  const session = await $({ signal: abort.signal })`sleep 60`.terminal()
  abort.abort()
  await expect(session.exited).rejects.toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled" } })
})

it("rejects for a command that cannot be started, has no terminal or is invalid", async () => {
  await expect($`no-such-program-anywhere`.terminal()).rejects.toMatchObject({ reason: { _tag: "NotFound" } })
  await expect($`true`.pipe`cat`.terminal()).rejects.toThrow(/more than one command/)
  const mocked = Runner.make({ mock: () => "" }).$`true`.terminal()
  await expect(mocked).rejects.toMatchObject({ reason: { code: "ENOTSUP" } })
})
