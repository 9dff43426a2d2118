/** Implements `util.inspect`, `util.format` and `console`. It runs in the engine, with the names of the files before it. */
export const consoleSource: string = String.raw`
const formatPrimitive = (ctx, value) => {
  if (typeof value === "string") {
    let text = value
    let more = ""
    if (text.length > ctx.maxStringLength) {
      const left = text.length - ctx.maxStringLength
      text = text.slice(0, ctx.maxStringLength)
      more = "... " + left + " more character" + (left > 1 ? "s" : "")
    }
    if (text.length > 16 && text.length > ctx.breakLength - ctx.indent - 4) {
      return text.split(/(?<=\n)/).map(quoteText).join(" +\n" + " ".repeat(ctx.indent + 2)) + more
    }
    return quoteText(text) + more
  }
  if (typeof value === "bigint") return value + "n"
  return Object.is(value, -0) ? "-0" : String(value)
}
const formatValue = (ctx, value, depth) => {
  if (value === null || typeof value !== "object" && typeof value !== "function") return formatPrimitive(ctx, value)
  const custom = value[inspectCustom]
  if (ctx.customInspect && typeof custom === "function" && custom !== inspect) {
    const result = custom.call(value, ctx.depth - depth, { ...ctx.options, depth: ctx.depth - depth }, inspect)
    if (result !== value) return typeof result === "object" || typeof result === "function" ? formatValue(ctx, result, depth) : String(result).replaceAll("\n", "\n" + " ".repeat(ctx.indent))
  }
  if (ctx.seen.includes(value)) {
    if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1)
    return "[Circular *" + ctx.circular.get(value) + "]"
  }
  return formatRaw(ctx, value, depth)
}
const inspect = (value, options, legacyDepth) => {
  const given = typeof options === "object" && options !== null ? options : { showHidden: options === true, depth: legacyDepth }
  const limit = (found, usual) => found === undefined ? usual : found === null ? Infinity : found
  return formatValue({
    seen: [], circular: new Map(), indent: 0, currentDepth: 0, options: given, showHidden: given.showHidden === true,
    customInspect: given.customInspect !== false, depth: limit(given.depth, 2), breakLength: limit(given.breakLength, 80),
    compact: given.compact === false ? 0 : typeof given.compact === "number" ? given.compact : 3,
    maxArrayLength: limit(given.maxArrayLength, 100), maxStringLength: limit(given.maxStringLength, 10000),
  }, value, 0)
}
inspect.custom = inspectCustom
inspect.defaultOptions = { depth: 2, breakLength: 80, compact: 3, maxArrayLength: 100, maxStringLength: 10000 }
const asNumber = (value, parse) => typeof value === "bigint" ? value + "n" : typeof value === "symbol" ? "NaN" : typeof value === "object" && parse !== Number ? String(parse(String(value))) : String(parse(value))
const asText = (value) => {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null) return formatPrimitive({ breakLength: Infinity, indent: 0, maxStringLength: Infinity }, value)
  return typeof value.toString === "function" && value.toString !== Object.prototype.toString && value.toString !== Error.prototype.toString && !Array.isArray(value)
    ? String(value) : value instanceof Error ? String(value) : inspect(value, { depth: 0 })
}
const formatOne = (value) => typeof value === "string" ? value : inspect(value)
const format = (...args) => {
  let at = 0
  let text = ""
  if (typeof args[0] === "string" && args.length > 1) {
    at = 1
    text = args[0].replace(/%[sdifjoOc%]/g, (mark) => {
      if (mark === "%%") return "%"
      if (at >= args.length) return mark
      const value = args[at++]
      switch (mark[1]) {
        case "s": return typeof value === "function" ? inspect(value) : asText(value)
        case "d": return asNumber(value, Number)
        case "i": return asNumber(value, parseInt)
        case "f": return typeof value === "symbol" ? "NaN" : String(parseFloat(value))
        case "j": try { return String(JSON.stringify(value)) } catch (error) { if (/circular/i.test(error.message)) return "[Circular]"; throw error }
        case "o": return inspect(value, { showHidden: true, depth: 4 })
        case "O": return inspect(value)
        default: return ""
      }
    })
  } else if (args.length > 0) {
    at = 1
    text = formatOne(args[0])
  }
  for (; at < args.length; at++) text += " " + formatOne(args[at])
  return text
}
let groupIndent = ""
const counts = new Map()
const timers = new Map()
const printTo = (fd) => (...args) => {
  const text = format(...args)
  writeText(fd, (groupIndent === "" ? text : text.replace(/^/gm, groupIndent)) + "\n")
}
const elapsed = (label) => {
  const ms = call("monotonic") - (timers.get(label) ?? 0)
  return label + ": " + (ms >= 1000 ? (ms / 1000).toFixed(3) + "s" : Number(ms.toFixed(3)) + "ms")
}
const printTable = (data, columns) => {
  if (typeof data !== "object" || data === null) return console.log(data)
  const isSimple = (value) => typeof value !== "object" || value === null
  const show = (value) => inspect(value, { depth: 0, breakLength: Infinity })
  const rows = data instanceof Map ? [...data.entries()] : data instanceof Set ? [...data].map((value, index) => [index, value]) : Object.entries(data)
  const heads = columns ?? [...new Set(rows.flatMap(([, value]) => isSimple(value) ? [] : Object.keys(value)))]
  const hasValues = columns === undefined && rows.some(([, value]) => isSimple(value))
  const titles = ["(index)", ...heads, ...hasValues ? ["Values"] : []]
  const cells = rows.map(([key, value]) => [
    String(key), ...heads.map((head) => !isSimple(value) && Object.hasOwn(value, head) ? show(value[head]) : ""),
    ...hasValues ? [isSimple(value) ? show(value) : ""] : [],
  ])
  const widths = titles.map((title, column) => Math.max(widthOf(title), ...cells.map((row) => widthOf(row[column]))) + 2)
  const line = (row) => "\u2502" + row.map((cell, column) => " " + cell + " ".repeat(widths[column] - widthOf(cell) - 1)).join("\u2502") + "\u2502"
  const rule = (left, middle, right) => left + widths.map((width) => "\u2500".repeat(width)).join(middle) + right
  console.log([rule("\u250c", "\u252c", "\u2510"), line(titles), rule("\u251c", "\u253c", "\u2524"), ...cells.map(line), rule("\u2514", "\u2534", "\u2518")].join("\n"))
}
const console = {
  log: printTo(1), info: printTo(1), debug: printTo(1), error: printTo(2), warn: printTo(2),
  dir: (value, options) => writeText(1, groupIndent + inspect(value, { customInspect: false, ...options }) + "\n"),
  trace: (...args) => printTo(2)("Trace" + (args.length > 0 ? ": " + format(...args) : "") + new Error().stack.replace(/^[^\n]*/, "")),
  assert: (isTrue, ...args) => {
    if (!isTrue) printTo(2)(...args.length === 0 ? ["Assertion failed"] : typeof args[0] === "string" ? ["Assertion failed: " + args[0], ...args.slice(1)] : ["Assertion failed:", ...args])
  },
  group: (...args) => {
    if (args.length > 0) console.log(...args)
    groupIndent += "  "
  },
  groupEnd: () => void (groupIndent = groupIndent.slice(2)),
  count: (label = "default") => {
    counts.set(label, (counts.get(label) ?? 0) + 1)
    console.log(label + ": " + counts.get(label))
  },
  countReset: (label = "default") => void counts.delete(label),
  time: (label = "default") => void timers.set(label, call("monotonic")),
  timeLog: (label = "default", ...args) => console.log(elapsed(label), ...args),
  timeEnd: (label = "default") => {
    console.log(elapsed(label))
    timers.delete(label)
  },
  table: printTable,
}
console.groupCollapsed = console.group
`
