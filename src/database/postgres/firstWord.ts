/**
 * Finds the first word of an SQL statement, behind blanks, comments and empty statements, as PostgreSQL's scanner does.
 *
 * Source: src/backend/parser/scan.l of PostgreSQL (comments nest)
 *
 * @module
 */

const ignored = /(?:[\s;]+|--[^\n\r]*)*/y
const boundary = /\/\*|\*\//g
const word = /[a-z_]*/iy

const endOf = (pattern: RegExp, sql: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.exec(sql) === null ? sql.length : pattern.lastIndex
}

/** The first word in lower case; empty where the statement begins with something else. */
export const firstWord = (sql: string): string => {
  let at = endOf(ignored, sql, 0)
  while (sql.startsWith("/*", at)) {
    let depth = 0
    do {
      const end = endOf(boundary, sql, at)
      if (end === sql.length && !sql.endsWith("*/")) return ""
      depth += sql.startsWith("/*", end - 2) ? 1 : -1
      at = end
    } while (depth > 0 && at < sql.length)
    at = endOf(ignored, sql, at)
  }
  return sql.slice(at, endOf(word, sql, at)).toLowerCase()
}
