/** Formats values as `util.inspect` of Node does. It runs in the engine, with the names of the files before it. */
export const inspectSource: string = String.raw`
const inspectCustom = Symbol.for("nodejs.util.inspect.custom")
const isIdentifier = (key) => /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)
const escapes = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" }
const quoteText = (text) => {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("\x60") && !text.includes("$" + "{") ? "\x60" : "'"
  return mark + text.replace(/[\x00-\x1f\x7f-\x9f\\']|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (c) => {
    if (c === "'") return mark === "'" ? "\\'" : c
    if (escapes[c] !== undefined) return escapes[c]
    const code = c.charCodeAt(0)
    return code < 256 ? "\\x" + code.toString(16).toUpperCase().padStart(2, "0") : "\\u" + code.toString(16).toUpperCase()
  }) + mark
}
const widthOf = (text) => /^[\x20-\x7e]*$/.test(text) ? text.length : [...text.replace(/\p{M}|\u200b/gu, "")]
  .reduce((sum, c) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(c) ? 2 : 1), 0)
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1)
const constructorOf = (value) => {
  for (let at = value; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, "constructor")
    if (found !== undefined && typeof found.value === "function" && found.value.name !== "") return String(found.value.name)
  }
  return null
}
const prefixOf = (value, fallback, size) => {
  const name = constructorOf(value)
  let tag = value[Symbol.toStringTag]
  if (typeof tag !== "string" || tag === "" || tag === name || Object.hasOwn(value, Symbol.toStringTag)) tag = ""
  const tagText = tag === "" || name === null && fallback === tag ? "" : "[" + tag + "] "
  const sizeText = size === undefined ? "" : "(" + size + ")"
  return name === null ? "[" + fallback + sizeText + ": null prototype] " + tagText : name + sizeText + " " + tagText
}
const groupEntries = (ctx, output, value, hasMore) => {
  const count = output.length - (hasMore ? 1 : 0)
  const widths = output.slice(0, count).map(widthOf)
  const longest = Math.max(...widths)
  const total = widths.reduce((sum, width) => sum + width + 2, 0)
  const most = longest + 2
  if (!(most * 3 + ctx.indent < ctx.breakLength && (total / most > 5 || longest <= 6))) return output
  const bias = Math.max(most - 3 - Math.sqrt(most - total / output.length), 1)
  const columns = Math.min(Math.round(Math.sqrt(2.5 * bias * count) / bias), Math.floor((ctx.breakLength - ctx.indent) / most), ctx.compact * 4, 15)
  if (columns <= 1) return output
  const lines = []
  const maxWidths = []
  for (let i = 0; i < columns; i++) {
    let width = 0
    for (let j = i; j < count; j += columns) width = Math.max(width, widths[j])
    maxWidths.push(width + 2)
  }
  let isNumeric = value !== undefined
  for (let i = 0; isNumeric && i < output.length; i++) isNumeric = typeof value[i] === "number" || typeof value[i] === "bigint"
  for (let i = 0; i < count; i += columns) {
    const end = Math.min(i + columns, count)
    let line = ""
    for (let j = i; j < end; j++) {
      const isLast = j === end - 1
      const text = isLast ? output[j] : output[j] + ", "
      const width = maxWidths[j - i] + output[j].length - widths[j] - (isLast ? 2 : 0)
      line += isNumeric ? text.padStart(width) : isLast ? text : text.padEnd(width)
    }
    lines.push(line)
  }
  if (hasMore) lines.push(output[count])
  return lines
}
const joinEntries = (ctx, output, base, braces, isArray, depth, value, hasMore) => {
  const entries = output.length
  if (isArray && entries > 6) output = groupEntries(ctx, output, value, hasMore)
  const head = base === "" ? "" : base + " "
  if (ctx.currentDepth - depth < ctx.compact && entries === output.length) {
    const start = output.length + ctx.indent + braces[0].length + base.length + 10
    const total = output.reduce((sum, entry) => sum + widthOf(entry), output.length + start)
    const joined = output.join(", ")
    if (total <= ctx.breakLength && !base.includes("\n") && !joined.includes("\n")) return head + braces[0] + " " + joined + " " + braces[1]
  }
  const indentation = "\n" + " ".repeat(ctx.indent)
  return head + braces[0] + indentation + "  " + output.join("," + indentation + "  ") + indentation + braces[1]
}
const functionBase = (value) => {
  const text = Function.prototype.toString.call(value)
  const name = typeof value.name === "string" ? value.name : ""
  if (/^class\b/.test(text)) {
    const parent = Object.getPrototypeOf(value)
    return "[class " + (name || "(anonymous)") + (typeof parent === "function" && parent.name ? " extends " + parent.name : "") + "]"
  }
  const kind = tagOf(value) === "Function" ? "Function" : tagOf(value)
  return "[" + kind + (name === "" ? " (anonymous)" : ": " + name) + "]"
}
const errorBase = (ctx, error) => {
  const name = error.name === undefined ? "Error" : String(error.name)
  const message = error.message === undefined ? "" : String(error.message)
  let stack = typeof error.stack === "string" && error.stack !== "" ? error.stack : "[" + Error.prototype.toString.call(error) + "]"
  if (!stack.startsWith("[") && !stack.startsWith(name)) stack = stack.replace(/^[\w$]*Error/, name)
  if (!stack.includes("\n    at") && !stack.startsWith("[")) stack = "[" + stack + "]"
  void message
  return ctx.indent === 0 ? stack : stack.replaceAll("\n", "\n" + " ".repeat(ctx.indent))
}
const byteText = (bytes, most) => {
  const shown = Array.from(bytes.subarray(0, most), (byte) => byte.toString(16).padStart(2, "0")).join(" ")
  return bytes.length > most ? shown + " ... " + (bytes.length - most) + " more byte" + (bytes.length - most > 1 ? "s" : "") : shown
}
`
