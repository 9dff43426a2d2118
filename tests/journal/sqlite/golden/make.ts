/**
 * Makes layout-1.db as version 1 of the layout had it: before it knew in which blocks a kind is. It was run once; a file
 * that people have must open for ever, so it is not made again.
 */
import { mkdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { builtins } from "../../../../src/journal/stores/sqlite/driver.ts"
import { connectWriting } from "../../../../src/journal/stores/sqlite/connect.ts"
import { ensureFile } from "../../../../src/journal/stores/sqlite/file.ts"
import { blockOf, blockSizeOf, migrations } from "../../../../src/journal/stores/sqlite/schema.ts"
import { SegmentBuilder } from "../../../../src/journal/stores/sqlite/SegmentBuilder.ts"
import { goldenRows } from "./rows.ts"

const path = fileURLToPath(new URL("./layout-1.db", import.meta.url))
rmSync(path, { force: true })
mkdirSync(new URL(".", import.meta.url), { recursive: true })
ensureFile(builtins(), path, true)
const connection = connectWriting(builtins(), path, migrations.slice(0, 1))
const segment = new SegmentBuilder()
const finish = (): void => connection.run("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ...segment.finish())
connection.write(() => {
  for (const row of goldenRows) {
    const { branch, correlationId, position, tag, version } = row
    connection.run("INSERT OR IGNORE INTO correlations (text) VALUES (?)", correlationId)
    connection.run("INSERT OR IGNORE INTO kinds (tag, branch, version) VALUES (?, ?, ?)", tag, branch, version)
    const correlation = connection.number("SELECT id FROM correlations WHERE text = ?", correlationId)
    const kind = connection.number(
      "SELECT id FROM kinds WHERE tag = ? AND branch = ? AND version = ?",
      tag,
      branch,
      version,
    )
    if (!segment.takes(row)) finish()
    segment.add(row, correlation, kind)
    connection.run(
      "INSERT OR IGNORE INTO correlation_blocks VALUES (?, ?)",
      correlation,
      blockOf(position, blockSizeOf(1)),
    )
  }
  finish()
})
connection.close()
