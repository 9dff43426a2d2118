import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { FileSecrets, Secrets } from "../../src/secrets/mod.ts"
import { parseDotenv } from "../../src/secrets/parseDotenv.ts"
import { secretsContract, stored, unusable } from "./secretsContract.ts"

const base = mkdtempSync(join(tmpdir(), "sluice-secrets-"))
const folder = join(base, "folder")
const json = join(base, "all.json")
const dotenv = join(base, ".env")

const all = { ...stored, ...unusable }
beforeAll(() => {
  mkdirSync(folder)
  for (const [name, value] of Object.entries(all)) writeFileSync(join(folder, name), `${value}\n`, { mode: 0o600 })
  writeFileSync(json, JSON.stringify(all), { mode: 0o600 })
  const lines = Object.entries(all).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  writeFileSync(dotenv, `# a comment\n${lines.join("\n")}\n`, { mode: 0o600 })
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

secretsContract("FileSecrets of a folder", () => FileSecrets.layer({ folder }))
secretsContract("FileSecrets of a file in JSON", () => FileSecrets.layer({ file: json }))
secretsContract("FileSecrets of lines", () => FileSecrets.layer({ file: dotenv }))

const faultOf = (name: string, options: Partial<FileSecrets.FileSecretsOptions> = { folder }) =>
  Effect.runPromise(Effect.flip(Effect.provide(Secrets.get(name), FileSecrets.layer(options)))).then((fault) =>
    fault._tag === "SecretFault" ? [fault.faultKind, fault.message] : [fault._tag, fault.message]
  )
const posix = process.platform !== "win32"
const isRoot = process.getuid?.() === 0

describe.runIf(posix)("files that others can reach", () => {
  it("refuses one that its group or others can read, unless that is allowed", async () => {
    const file = join(folder, "open")
    for (const mode of [0o640, 0o604, 0o620, 0o602]) {
      writeFileSync(file, "hunter2")
      chmodSync(file, mode)
      expect(await faultOf("open")).toEqual([
        "NotAllowed",
        `secret "open": other users can access its file (mode ${mode.toString(8)}): chmod 600, or allowShared`,
      ])
      const given = Effect.provide(Secrets.get("open"), FileSecrets.layer({ folder, allowShared: true }))
      expect(Redacted.value(await Effect.runPromise(given))).toBe("hunter2")
    }
    chmodSync(json, 0o644)
    expect((await faultOf("github", { file: json }))[0]).toBe("NotAllowed")
    chmodSync(json, 0o600)
  })

  it("refuses a link out of the folder, and follows one within", async () => {
    const outside = join(base, "outside")
    writeFileSync(outside, "hunter2", { mode: 0o600 })
    symlinkSync(outside, join(folder, "leading"))
    symlinkSync(base, join(folder, "above"))
    symlinkSync(join(folder, "github"), join(folder, "within"))
    // A folder whose name begins like that of the secrets.
    mkdirSync(`${folder}-other`)
    writeFileSync(join(`${folder}-other`, "a"), "hunter2", { mode: 0o600 })
    symlinkSync(join(`${folder}-other`, "a"), join(folder, "beside"))
    for (const name of ["leading", "above/outside", "beside"]) {
      expect(await faultOf(name)).toEqual(["NotAllowed", `secret "${name}": a link leads out of the folder`])
    }
    const given = Effect.provide(Secrets.get("within"), FileSecrets.layer({ folder }))
    expect(Redacted.value(await Effect.runPromise(given))).toBe(stored.github)
  })

  it("does not wait for the writer of a pipe, and reads no folder", async () => {
    execFileSync("mkfifo", ["-m", "600", join(folder, "pipe")])
    mkdirSync(join(folder, "sub"), { mode: 0o700 })
    expect((await faultOf("pipe"))[0]).toBe("NotAllowed")
    expect((await faultOf("sub"))[0]).toBe("NotFound")
    expect((await faultOf("github/x"))[0]).toBe("NotFound")
  })

  it.runIf(isRoot)("refuses a file of another user", async () => {
    const file = join(folder, "planted")
    writeFileSync(file, "hunter2", { mode: 0o600 })
    chownSync(file, 12_345, 0)
    expect(await faultOf("planted")).toEqual(["NotAllowed", `secret "planted": its file belongs to user 12345`])
  })
})

it("quotes nothing of a file that is not JSON", async () => {
  const broken = join(base, "broken.json")
  writeFileSync(broken, "hunter2", { mode: 0o600 })
  expect(await faultOf("github", { file: broken })).toEqual(["Invalid", `secret "github": it is not JSON`])
  writeFileSync(broken, "[1]", { mode: 0o600 })
  expect((await faultOf("github", { file: broken }))[0]).toBe("Invalid")
  writeFileSync(join(folder, "binary"), new Uint8Array([0xff, 0xfe, 0xfd]), { mode: 0o600 })
  expect(await faultOf("binary")).toEqual(["Invalid", `secret "binary": its value is not text`])
})

it("refuses options without a place, and unknown ones", async () => {
  expect(await faultOf("a", {})).toEqual(["OptionError", "FileSecrets: name a folder, or a file"])
  const misspelled: object = { folder, allowshared: true }
  expect(await faultOf("a", misspelled)).toEqual([
    "OptionError",
    'FileSecrets: unknown option "allowshared"; did you mean "allowShared"?',
  ])
})

it("reads the lines of a .env file as other tools do", () => {
  const text = [
    "A=1",
    "export B = two words # a comment",
    "C='single $x \\n'",
    'D="a\\nb \\"q\\" #no"',
    "E=",
    "F=a=b#c",
    "not a line",
    "#G=1",
    'H="two\nlines"',
    "",
  ].join("\r\n")
  expect(parseDotenv(text)).toEqual({
    A: "1",
    B: "two words",
    C: "single $x \\n",
    D: 'a\nb "q" #no',
    E: "",
    F: "a=b#c",
    H: "two\nlines",
  })
})
