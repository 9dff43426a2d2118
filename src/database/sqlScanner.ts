/**
 * Scans SQL in one pass: blanks, comments, quoted texts and names, parameters.
 *
 * Sources: src/backend/parser/scan.l of PostgreSQL, src/tokenize.c of SQLite
 */

export interface SqlDialect {
  readonly blanks: RegExp
  /** The rest of a comment that begins with two dashes; sticky. */
  readonly lineRest: RegExp
  /** Matches the marks that begin and end other comments if comments nest, else only the end; global. */
  readonly commentMark: RegExp
}

/** PostgreSQL, whose comments nest. */
export const postgresDialect: SqlDialect = { blanks: /\s+/y, lineRest: /[^\n\r]*/y, commentMark: /\/\*|\*\//g }

/** SQLite. A vertical tab is a blank only after another one, a byte order mark everywhere. */
export const sqliteDialect: SqlDialect = {
  blanks: /[ \t\n\f\r][ \t-\r]*|\uFEFF/y,
  lineRest: /[^\n]*/y,
  commentMark: /\*\//g,
}

/** Index after the next match; the end of the SQL if there is none. */
const indexAfter = (pattern: RegExp, sql: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(sql) ? pattern.lastIndex : sql.length
}

/** Index after the comment at `at`, which may lack its end. */
const commentEnd = ({ commentMark }: SqlDialect, sql: string, at: number): number => {
  let end = at + 2
  for (let depth = 1; depth > 0 && end < sql.length;) {
    end = indexAfter(commentMark, sql, end)
    depth += sql.startsWith("/*", end - 2) ? 1 : -1
  }
  return end
}

/** Index after the blanks or the comment at `at`; `at` if there are none. */
const spaceEnd = (dialect: SqlDialect, sql: string, at: number): number => {
  if (sql.startsWith("--", at)) return indexAfter(dialect.lineRest, sql, at + 2)
  // As the last characters these are two operators.
  if (sql.startsWith("/*", at) && at + 2 < sql.length) return commentEnd(dialect, sql, at)
  dialect.blanks.lastIndex = at
  return dialect.blanks.test(sql) ? dialect.blanks.lastIndex : at
}

export const statementStart = (dialect: SqlDialect, sql: string): number => {
  for (let at = 0;;) {
    const end = sql[at] === ";" ? at + 1 : spaceEnd(dialect, sql, at)
    if (end === at) return at
    at = end
  }
}

/** A name, a number or a parameter. */
const word = /[$@#:]?[\w$\u0080-\uFFFF]+/y
const closing: ReadonlyMap<string | undefined, string> = new Map([["'", "'"], ['"', '"'], ["`", "`"], ["[", "]"]])

/**
 * Index after the token at `at`, which is not a blank. A doubled quote counts as the end of one text and the start of
 * another.
 */
const tokenEnd = (sql: string, at: number): number => {
  const close = closing.get(sql[at])
  if (close !== undefined) return (sql.indexOf(close, at + 1) + 1) || sql.length
  word.lastIndex = at
  return word.test(sql) ? word.lastIndex : at + 1
}

/** Replaces `$1` by SQLite's `?1`: for SQLite `$1` is a name, and its driver does not bind names by position. */
export const numberParameters = (sql: string): string => {
  const parts: Array<string> = []
  for (let at = 0; at < sql.length;) {
    const space = spaceEnd(sqliteDialect, sql, at)
    const end = space > at ? space : tokenEnd(sql, at)
    const part = sql.slice(at, end)
    const isParameter = /^\$\d+$/.test(part) && !/[:(]/.test(sql.charAt(end))
    parts.push(isParameter ? `?${part.slice(1)}` : part)
    at = end
  }
  return parts.join("")
}
