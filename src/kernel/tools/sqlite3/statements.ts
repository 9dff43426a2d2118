/** Tells whether a text ends with a complete statement. Source: sqlite3_complete(3). */

/** Removes strings, quoted names and comments; an open one is `undefined`. */
const bare = (sql: string): string | undefined => {
  let out = ""
  for (let at = 0; at < sql.length; at++) {
    const letter = sql[at] ?? ""
    const close = letter === "[" ? "]" : letter
    if (letter === "'" || letter === '"' || letter === "`" || letter === "[") {
      const end = sql.indexOf(close, at + 1)
      if (end < 0) return undefined
      out += "x"
      at = end
    } else if (letter === "-" && sql[at + 1] === "-") {
      const end = sql.indexOf("\n", at)
      if (end < 0) return out
      at = end
      out += " "
    } else if (letter === "/" && sql[at + 1] === "*") {
      const end = sql.indexOf("*/", at + 2)
      if (end < 0) return undefined
      at = end + 1
      out += " "
    } else out += letter
  }
  return out
}

/** Whether the last statement ends with a semicolon; a trigger ends with `END;`. */
export const isComplete = (sql: string): boolean => {
  const text = bare(sql)?.trimEnd()
  if (text === undefined || !text.endsWith(";")) return false
  const last = /\bcreate\s+(?:temp(?:orary)?\s+)?trigger\b/i.exec(text)
  return last === null || /;\s*end\s*;$/i.test(text.slice(last.index))
}
