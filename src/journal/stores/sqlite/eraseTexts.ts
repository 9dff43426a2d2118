/**
 * Erases bodies of pruned and stripped entries from the text files of a SQLite journal, and removes the files that no
 * entry needs any more.
 *
 * The transaction that prunes or strips notes the places; they are erased after its commit, as it may be rolled back.
 * After a crash the next store that opens the database erases them.
 *
 * @module
 */
import { type Connection, textAt } from "./Connection.ts"
import { isTextRef, parseTextRef, refsOf, type TextRef } from "./textRef.ts"

/** Places that one slice erases: at most a few MiB. */
const sliceRefs = 64

/** Notes the texts of the entries of a condition, to be erased after the commit; found by position, not by the index. */
export const eraseStatement = (condition: string): string =>
  `INSERT OR IGNORE INTO erased SELECT body FROM entries WHERE ${
    isTextRef.replaceAll("body", "+body")
  } AND ${condition}`

/** Whether an entry has its text in a file. */
const isUsed = (connection: Connection, file: number): boolean =>
  connection.row(`SELECT 1 FROM entries WHERE ${isTextRef} AND body >= ? AND body < ? LIMIT 1`, ...refsOf(file)) !==
    undefined

/** Erases the first of the noted texts; answers whether there are more. */
const eraseSlice = (connection: Connection): boolean => {
  const refs: Array<TextRef> = []
  let last = ""
  for (const cells of connection.rows(`SELECT body FROM erased ORDER BY body LIMIT ${sliceRefs}`)) {
    const body = textAt(cells, 0)
    const ref = parseTextRef(body)
    // One file at a time.
    if (ref === undefined || (refs[0] !== undefined && refs[0].file !== ref.file)) break
    refs.push(ref)
    last = body
  }
  const [first] = refs
  if (first === undefined) {
    connection.run("DELETE FROM erased")
    return false
  }
  if (isUsed(connection, first.file)) {
    connection.texts.erase(first.file, refs)
    connection.run("DELETE FROM erased WHERE body <= ?", last)
  } else {
    connection.texts.remove(first.file)
    connection.run("DELETE FROM erased WHERE body >= ? AND body < ?", ...refsOf(first.file))
  }
  return true
}

/** Erases all noted texts. Yields after each slice, a transaction of its own. */
export const eraseTexts = function* (connection: Connection): Generator<void> {
  while (connection.row("SELECT 1 FROM erased LIMIT 1") !== undefined) {
    connection.write(() => eraseSlice(connection))
    yield
  }
}

/** Removes files that no entry needs: also those that a killed process, or another journal at this path, has left. */
export const removeUnusedFiles = (connection: Connection): void => {
  // In transactions, as a file that another process has just created is named by no row that others see.
  for (const file of connection.texts.list()) {
    connection.write(() => isUsed(connection, file) ? undefined : connection.texts.remove(file))
  }
}
