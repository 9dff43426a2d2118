import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import type { Position } from "@sluice/shell/journal"
import type { Row } from "../../../../src/journal/Entry.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { journalContract, type JournalTarget, type Tamper } from "../../../support/journalContract.ts"
import { workshop } from "../../../support/workshop.ts"

const parsed = (line: string): Record<string, unknown> => JSON.parse(line)

/** What somebody does who has an editor. */
const tamperOf = (path: string): Tamper => {
  const edit = (change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>) =>
    Effect.sync(() => {
      const [header = "", ...lines] = readFileSync(path, "utf8").split("\n").slice(0, -1)
      writeFileSync(path, [header, ...change(lines), ""].join("\n"))
    })
  const at = (lines: ReadonlyArray<string>, position: Position): string =>
    lines.find((line) => parsed(line)["position"] === position) ?? ""
  const changed = (line: string, { body, ...fields }: Partial<Omit<Row, "position">>): string => {
    const cut = line.indexOf(`,"body":`)
    const text = body === undefined ? line.slice(cut + 8, -1) : body === "" ? "null" : body
    return `${JSON.stringify({ ...parsed(`${line.slice(0, cut)}}`), ...fields }).slice(0, -1)},"body":${text}}`
  }
  const moved = (line: string, position: Position): string =>
    line.replace(/^\{"position":\d+/, `{"position":${position}`)
  return {
    change: (position, fields) =>
      edit((lines) => lines.map((line) => parsed(line)["position"] === position ? changed(line, fields) : line)),
    remove: (position) => edit((lines) => lines.filter((line) => parsed(line)["position"] !== position)),
    swap: (one, other) =>
      edit((lines) =>
        lines.map((line) => {
          const { position } = parsed(line)
          return position === one
            ? moved(at(lines, other), one)
            : position === other
            ? moved(at(lines, one), other)
            : line
        })
      ),
  }
}

const place: JournalTarget["place"] = Effect.map(workshop, ({ path }) => {
  const file = path("journal.ndjson")
  return {
    open: (options) => NdjsonJournal.make({ path: file, ...options }),
    tamper: tamperOf(file),
  }
})

journalContract("NDJSON", { place, can: { durable: true, processes: false, durabilities: ["memory", "os", "disk"] } })
