import { expect, it } from "vitest"
import { JournalError } from "@sluice/shell/journal"
import { isBusy } from "../../../../src/sql/sqliteResult.ts"
import { isCorrupt, isUnopenable, toJournalError } from "../../../../src/journal/stores/sqlite/errors.ts"

/** An error of Node and Bun, and of Deno where a prepared statement failed. */
const coded = (errcode: number, message: string): Error =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, errstr: message })

/** Another error of Deno: a message without a code. */
const worded = (message: string): Error => Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR" })

const system = (code: string): Error => Object.assign(new Error(`${code}: no, open '/j.db'`), { code, errno: -1 })

const cases: ReadonlyArray<readonly [error: Error, tag: string, code: string | undefined]> = [
  [coded(5, "database is locked"), "Locked", "SQLITE_BUSY"],
  [coded(261, "database is locked"), "Locked", "SQLITE_BUSY"],
  [worded("database is locked"), "Locked", "SQLITE_BUSY"],
  [worded("database table is locked: t"), "Locked", "SQLITE_LOCKED"],
  [coded(8, "attempt to write a readonly database"), "ReadOnly", "SQLITE_READONLY"],
  [coded(1544, "attempt to write a readonly database"), "ReadOnly", "SQLITE_READONLY"],
  [worded("unable to open database file: /j.db"), "ReadOnly", "SQLITE_CANTOPEN"],
  [coded(11, "database disk image is malformed"), "Corrupt", "SQLITE_CORRUPT"],
  [worded("file is not a database"), "Corrupt", "SQLITE_NOTADB"],
  [coded(13, "database or disk is full"), "Full", "SQLITE_FULL"],
  [worded("database or disk is full"), "Full", "SQLITE_FULL"],
  [coded(4874, "disk I/O error"), "Full", "SQLITE_IOERR"],
  [coded(778, "disk I/O error"), "Failed", "SQLITE_IOERR"],
  [coded(1, "no such table: x"), "Failed", "SQLITE_ERROR"],
  [system("ENOENT"), "Missing", "ENOENT"],
  [system("EACCES"), "ReadOnly", "EACCES"],
  [system("EROFS"), "ReadOnly", "EROFS"],
  [system("ENOSPC"), "Full", "ENOSPC"],
  [system("EIO"), "Failed", "EIO"],
  [Object.assign(new Error("Requires read access"), { name: "NotCapable" }), "Failed", "NotCapable"],
  [new Error("something else"), "Failed", undefined],
]

it("maps errors of SQLite and of the file system to reasons, in the form of each runtime", () => {
  for (const [error, tag, code] of cases) {
    const { exception, message, reason } = toJournalError("/j.db was not opened", "/j.db", error)
    expect([String(error), reason._tag, "code" in reason ? reason.code : undefined]).toEqual([String(error), tag, code])
    expect(message).toMatch(/^journal: \/j\.db was not opened: [^(]+/)
    expect(message.endsWith(`(${code})`)).toBe(code !== undefined)
    expect(exception).toBe(String(error))
  }
})

it("distinguishes busy, corrupt and unopenable errors", () => {
  const which = (is: (error: unknown, path: string) => boolean): ReadonlyArray<string> => [
    ...new Set(cases.filter(([error]) => is(error, "/j.db")).map(([, , code]) => code ?? "")),
  ]
  expect(which(isBusy)).toEqual(["SQLITE_BUSY", "SQLITE_LOCKED"])
  expect(which(isCorrupt)).toEqual(["SQLITE_CORRUPT", "SQLITE_NOTADB"])
  expect(which(isUnopenable)).toEqual(["SQLITE_READONLY", "SQLITE_CANTOPEN", "NotCapable"])
})

it("returns a JournalError unchanged", () => {
  const error = JournalError.because({ _tag: "Closed" }, "journal: it is closed")
  expect(toJournalError("nothing was read from /j.db", "/j.db", error)).toBe(error)
})
