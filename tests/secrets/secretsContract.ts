/** Tests every leaf of the Secrets branch. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { journalRequests } from "../../src/branch/mod.ts"
import { Secrets, SecretsBranch } from "../../src/secrets/mod.ts"

/** The secrets of the store under test. */
export const stored = {
  github: "hunter2-ä-🚀 with spaces",
  db: `{"user":"ada","password":"correct horse"}`,
  lines: "-----BEGIN KEY-----\nabc\n-----END KEY-----",
} as const

/** Secrets that no store gives. */
export const unusable = { empty: "", long: "x".repeat(70_000) } as const

export const secretsContract = <E>(
  name: string,
  layer: () => Layer.Layer<Secrets, E>,
  { areObjects = false, fields = true, hasVersions = false }: {
    /** The store has fields, and no text of them all. */
    readonly areObjects?: boolean
    readonly fields?: boolean
    readonly hasVersions?: boolean
  } = {},
): void => {
  const run = <A, F>(program: Effect.Effect<A, F, Secrets>): Promise<A> =>
    Effect.runPromise(Effect.provide(program, layer()))
  const faultOf = (...args: Parameters<typeof Secrets.get>) => run(Effect.flip(Secrets.get(...args)))

  describe(name, () => {
    it("gives values, which no text of the answer shows", async () => {
      for (const [name, value] of Object.entries(stored)) {
        if (areObjects && name === "db") continue
        const given = await run(Secrets.get(name))
        expect(Redacted.value(given)).toBe(value)
        expect(`${given} ${JSON.stringify(given)}`).toBe(`<redacted:${name}> "<redacted:${name}>"`)
      }
    })

    it("lists names, sorted, and no values", async () => {
      const names = await run(Secrets.list())
      expect(names).toEqual(names.toSorted())
      expect(names).toEqual(expect.arrayContaining(Object.keys(stored)))
      expect(names.join()).not.toContain("hunter2")
    })

    it("fails with NotFound for a missing name", async () => {
      const fault = await faultOf("nothing")
      expect([fault._tag, fault.faultKind]).toEqual(["SecretFault", "NotFound"])
      expect(fault.message).toContain(`secret "nothing": `)
      for (const name of ["constructor", "__proto__", "toString"]) {
        expect((await faultOf(name)).faultKind).toBe("NotFound")
      }
    })

    if (fields) {
      it("returns a field, and shows no value if it is missing", async () => {
        expect(Redacted.value(await run(Secrets.get("db", { field: "password" })))).toBe("correct horse")
        const missing = await faultOf("db", { field: "pin" })
        expect([missing.faultKind, JSON.stringify(missing)]).toEqual([
          "NotFound",
          expect.not.stringMatching(/horse|\bada\b/),
        ])
        const text = await faultOf("github", { field: "pin" })
        expect(["Invalid", "NotFound"]).toContain(text.faultKind)
        expect(`${text.stack} ${JSON.stringify(text)}`).not.toContain("hunter2")
      })
    }

    it("refuses names that lead elsewhere or are options, before it asks", async () => {
      const names = [
        "../etc/passwd",
        "a/../../b",
        "..",
        "-rf",
        "a b",
        "a\n",
        "a\0",
        "",
        "x".repeat(300),
        "a#b",
        "a?b=c",
      ]
      for (const name of names) expect((await faultOf(name)).faultKind).toBe("InvalidRequest")
      expect((await faultOf("github", { field: "../x" })).faultKind).toBe("InvalidRequest")
      expect((await faultOf("github", { version: "1&a=b" })).faultKind).toBe("InvalidRequest")
    })

    it("refuses values that are empty or too long", async () => {
      expect(["Invalid", "NotFound"]).toContain((await faultOf("empty")).faultKind)
      const long = await faultOf("long")
      expect([long.faultKind, long.message.length < 200]).toEqual(["TooLarge", true])
    })

    if (!hasVersions) {
      it("refuses a version", async () => {
        expect((await faultOf("github", { version: "2" })).faultKind).toBe("InvalidRequest")
      })
    }

    it("journals who asked for which secret and why, and never a value", async () => {
      const program = Effect.gen(function* () {
        const journaled = yield* journalRequests(SecretsBranch, yield* Secrets)
        const commandId = "c-1"
        const asked = Effect.all([
          Secrets.get("github", { purpose: "gh", commandId }),
          Secrets.get("lines"),
          Effect.flip(Secrets.get("nothing")),
        ])
        const [given] = yield* Effect.provideService(asked, Secrets, journaled)
        return { given, entries: yield* Journal.read() }
      })
      const { entries, given } = await run(Effect.provide(program, MemoryJournal.layer))
      expect(Redacted.value(given)).toBe(stored.github)
      expect(entries.filter(({ tag }) => tag !== "LeaseTaken").map(({ tag }) => tag)).toEqual([
        ...["SecretGet", "SecretGiven", "SecretGet", "SecretGiven", "SecretGet", "SecretFault"],
      ])
      expect(entries[0]?.body).toMatchObject({ name: "github", purpose: "gh", commandId: "c-1" })
      expect(entries[2]?.body).toMatchObject({ name: "github", value: { _tag: "Redacted", label: "github" } })
      expect(JSON.stringify(entries)).not.toMatch(/hunter2|BEGIN KEY/)
    })

    it("serves many callers at once, each with its own value", async () => {
      const names = Array.from({ length: 60 }, (_, at) => at % 2 === 0 ? "github" : "lines")
      const all = Effect.forEach(names, (name) => Secrets.get(name), { concurrency: "unbounded" })
      expect((await run(all)).map(Redacted.value)).toEqual(
        names.map((name) => name === "lines" ? stored.lines : stored.github),
      )
    })
  })
}
