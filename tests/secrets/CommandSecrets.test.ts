import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ShellExec } from "../../src/command/ShellExec.ts"
import * as DaemonShell from "../../src/compute/DaemonShell.ts"
import * as JournaledShell from "../../src/compute/JournaledShell.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { CommandSecrets, Secrets } from "../../src/secrets/mod.ts"
import { secretsContract, stored, unusable } from "./secretsContract.ts"

const base = mkdtempSync(join(tmpdir(), "sluice-secrets-"))
const store = join(base, "store")
const witness = join(base, "witness")

// As pass(1): it appends to a file of its own that it ran, which no leaf writes.
beforeAll(() => {
  writeFileSync(
    store,
    `#!/bin/sh
echo "$1" >> ${witness}
case "$1" in
  --list) printf '%s\\n' ${Object.keys({ ...stored, ...unusable }).join(" ")} ;;
  fail) echo hunter2; echo "hunter2 is wrong" >&2; exit 7 ;;
  slow) sleep 60 ;;
  *) [ -f ${base}/value-"$1" ] || exit 1; cat ${base}/value-"$1" ;;
esac
`,
  )
  chmodSync(store, 0o700)
  for (const [name, value] of Object.entries({ ...stored, ...unusable })) {
    writeFileSync(join(base, `value-${name}`), `${value}\n`)
  }
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const options: CommandSecrets.CommandSecretsOptions = {
  command: ({ name }) =>
    existsSync(join(base, `value-${name}`)) || /fail|slow/.test(name) ? ShellExec.make(store, [name]) : undefined,
  list: ShellExec.make(store, ["--list"]),
}

const layerOf = (more: Partial<CommandSecrets.CommandSecretsOptions> = {}) =>
  CommandSecrets.layer({ ...options, ...more }).pipe(Layer.provide(LocalShell.layer))

const faultOf = (name: string, layer = layerOf()) =>
  Effect.runPromise(Effect.flip(Effect.provide(Secrets.get(name), layer)))

describe.runIf(process.platform !== "win32")("commands", () => {
  secretsContract("CommandSecrets", () => layerOf(), { hasVersions: true, fields: false })

  it("runs one command for each caller, as the commands themselves count", async () => {
    writeFileSync(witness, "")
    const all = Effect.forEach(Array.from({ length: 40 }), () => Secrets.get("github"), { concurrency: "unbounded" })
    const values = await Effect.runPromise(Effect.provide(all, layerOf()))
    expect(new Set(values.map(Redacted.value))).toEqual(new Set([stored.github]))
    expect(readFileSync(witness, "utf8")).toBe("github\n".repeat(40))
  })

  it("reports the exit code of a failed command, and none of its output", async () => {
    const fault = await faultOf("fail")
    expect([fault._tag, fault.message]).toEqual(["SecretFault", `secret "fail": ${store} exited with 7`])
    expect(`${fault.stack}${JSON.stringify(fault)}`).not.toContain("hunter2")
    const none = layerOf({ command: () => ShellExec.make(join(base, "no-such-program")) })
    expect((await faultOf("a", none)).message).toContain("failed (NotFound)")
  })

  it("ends a command that takes too long", async () => {
    const fault = await faultOf("slow", layerOf({ timeout: "300 millis" }))
    expect(fault.message).toBe('secret "slow": there was no answer within 300 ms')
  })

  it("reads the value from the output", async () => {
    const layer = layerOf({ parse: (stdout) => stdout.split("\n")[1] ?? "" })
    expect(Redacted.value(await Effect.runPromise(Effect.provide(Secrets.get("lines"), layer)))).toBe("abc")
  })

  it("starts nothing on a shell that journals, and is not made over a daemon", async () => {
    writeFileSync(witness, "")
    const program = Effect.gen(function* () {
      const journaled = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer))
      const layer = CommandSecrets.layer(options).pipe(Layer.provide(journaled))
      const fault = yield* Effect.flip(Effect.provide(Secrets.get("github"), layer))
      const remote = CommandSecrets.layer(options).pipe(Layer.provide(DaemonShell.layer))
      const error = yield* Effect.flip(Effect.provide(Secrets.get("github"), remote))
      return { fault, error, entries: JSON.stringify(yield* Journal.read()) }
    })
    const { entries, error, fault } = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
    expect(fault.message).toContain("the shell journals the output of its commands")
    expect(error.message).toContain("a daemon journals the output")
    expect([readFileSync(witness, "utf8"), entries.includes("hunter2")]).toEqual(["", false])
  })
})
