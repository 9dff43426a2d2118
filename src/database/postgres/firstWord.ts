/** Finds the first word of an SQL statement, after blanks, comments and empty statements. */
import { postgresDialect, statementStart } from "../sqlScanner.ts"

export const firstWord = (sql: string): string => {
  const word = /[a-z_]*/iy
  word.lastIndex = statementStart(postgresDialect, sql)
  return (word.exec(sql)?.[0] ?? "").toLowerCase()
}
