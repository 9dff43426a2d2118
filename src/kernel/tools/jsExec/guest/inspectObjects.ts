/** Formats objects as `util.inspect` of Node does. It runs in the engine, with the names of the files before it. */
export const inspectObjectsSource: string = String.raw`
const formatProperty = (ctx, value, key, depth, isElement) => {
  const found = Object.getOwnPropertyDescriptor(value, key)
  let text
  if (found === undefined || "value" in found) {
    ctx.indent += 2
    text = formatValue(ctx, found === undefined ? value[key] : found.value, depth)
    ctx.indent -= 2
  } else text = found.get === undefined ? "[Setter]" : found.set === undefined ? "[Getter]" : "[Getter/Setter]"
  if (isElement) return text
  const name = typeof key === "symbol" ? key.toString() : key === "__proto__" ? "['__proto__']" : isIdentifier(key) ? key : quoteText(key)
  return (found !== undefined && !found.enumerable ? "[" + (typeof key === "symbol" ? key.toString() : key) + "]" : name) + ": " + text
}
const formatElements = (ctx, value, depth) => {
  const output = []
  const most = Math.min(ctx.maxArrayLength, value.length)
  let shown = 0
  let at = 0
  for (; at < value.length && shown < most; at++, shown++) {
    if (Object.prototype.hasOwnProperty.call(value, at)) {
      output.push(formatProperty(ctx, value, String(at), depth, true))
      continue
    }
    const next = Object.keys(value).find((key) => /^\d+$/.test(key) && Number(key) > at)
    const holes = (next === undefined ? value.length : Number(next)) - at
    output.push("<" + holes + " empty item" + (holes > 1 ? "s" : "") + ">")
    at += holes - 1
  }
  const more = value.length - at
  if (more > 0) output.push("... " + more + " more item" + (more > 1 ? "s" : ""))
  return output
}
const formatList = (ctx, items, size) => {
  const output = []
  ctx.indent += 2
  for (const item of items) {
    if (output.length >= ctx.maxArrayLength) break
    output.push(item())
  }
  ctx.indent -= 2
  if (size > output.length) output.push("... " + (size - output.length) + " more item" + (size - output.length > 1 ? "s" : ""))
  return output
}
const formatRaw = (ctx, value, depth) => {
  let keys = Object.keys(value)
  if (ctx.showHidden) keys = Object.getOwnPropertyNames(value)
  let braces = ["{", "}"]
  let base = ""
  let isArray = false
  let entries = () => []
  const symbols = Object.getOwnPropertySymbols(value).filter((key) => ctx.showHidden || Object.prototype.propertyIsEnumerable.call(value, key))
  const tag = tagOf(value)
  if (Array.isArray(value)) {
    const prefix = constructorOf(value) === "Array" && !(Symbol.toStringTag in value) ? "" : prefixOf(value, "Array", value.length)
    keys = keys.filter((key) => !/^(?:0|[1-9]\d*)$/.test(key))
    braces = [prefix + "[", "]"]
    isArray = true
    if (value.length === 0 && keys.length + symbols.length === 0) return braces[0] + "]"
    entries = () => formatElements(ctx, value, depth)
  } else if (value instanceof Set) {
    braces[0] = prefixOf(value, "Set", value.size) + "{"
    if (value.size + keys.length === 0) return braces[0] + "}"
    entries = () => formatList(ctx, [...value].map((item) => () => formatValue(ctx, item, depth)), value.size)
  } else if (value instanceof Map) {
    braces[0] = prefixOf(value, "Map", value.size) + "{"
    if (value.size + keys.length === 0) return braces[0] + "}"
    entries = () => formatList(ctx, [...value].map(([key, item]) => () => formatValue(ctx, key, depth) + " => " + formatValue(ctx, item, depth)), value.size)
  } else if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    keys = keys.filter((key) => !/^\d+$/.test(key))
    braces = [prefixOf(value, tag, value.length) + "[", "]"]
    isArray = true
    if (value.length === 0 && keys.length === 0) return braces[0] + "]"
    entries = () => formatElements(ctx, value, depth)
  } else if (tag === "ArrayBuffer") {
    braces[0] = prefixOf(value, "ArrayBuffer") + "{"
    entries = () => ["[Uint8Contents]: <" + byteText(new Uint8Array(value), 50) + ">", "[byteLength]: " + value.byteLength]
  } else if (typeof value === "function") {
    base = functionBase(value)
    if (keys.length + symbols.length === 0) return base
  } else if (value instanceof RegExp) {
    base = RegExp.prototype.toString.call(value)
    if (keys.length === 0) return base
  } else if (value instanceof Date) {
    base = Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString()
    if (keys.length === 0) return base
  } else if (value instanceof Error) {
    base = errorBase(ctx, value)
    keys = keys.filter((key) => key !== "stack" && key !== "message" && !(key === "name" && base.includes(String(value.name))))
    for (const hidden of ["cause", "errors"]) if (Object.hasOwn(value, hidden) && !keys.includes(hidden)) keys.push(hidden)
    if (keys.length + symbols.length === 0) return base
  } else if (value instanceof Promise) {
    const state = call("promiseState", value)
    braces[0] = prefixOf(value, "Promise") + "{"
    entries = () => [state === "pending" ? "<pending>" : (state === "rejected" ? "<rejected> " : "") + formatList(ctx, [() => formatValue(ctx, call("promiseResult", value), depth)], 1)[0]]
  } else if (value instanceof WeakMap || value instanceof WeakSet) return prefixOf(value, tag) + "{ <items unknown> }"
  else if (["Number", "String", "Boolean", "BigInt", "Symbol"].includes(tag) && !(Symbol.toStringTag in value && tag !== "Symbol" && tag !== "BigInt")) {
    const own = value.valueOf()
    if (tag === "String") keys = keys.filter((key) => !/^\d+$/.test(key))
    base = "[" + tag + ": " + (typeof own === "object" ? "" : formatPrimitive({ ...ctx, indent: 0 }, own)) + "]"
    if (keys.length === 0) return base
  } else if (tag === "Arguments") {
    keys = keys.filter((key) => !/^\d+$/.test(key))
    braces = ["[Arguments] [", "]"]
    isArray = true
    entries = () => formatElements(ctx, value, depth)
  } else if (tag === "Module") braces[0] = "[Module: null prototype] {"
  else {
    const prefix = prefixOf(value, "Object")
    if (prefix !== "Object ") braces[0] = prefix + "{"
    if (keys.length + symbols.length === 0) return braces[0] + "}"
  }
  if (depth > ctx.depth) return "[" + (Array.isArray(value) ? "Array" : prefixOf(value, "Object").trimEnd()) + "]"
  depth += 1
  ctx.seen.push(value)
  ctx.currentDepth = depth
  const output = entries()
  for (const key of [...keys, ...symbols]) output.push(formatProperty(ctx, value, key, depth, false))
  ctx.seen.pop()
  const index = ctx.circular.get(value)
  if (index !== undefined) {
    if (base === "") braces[0] = "<ref *" + index + "> " + braces[0]
    else base = "<ref *" + index + "> " + base
  }
  return joinEntries(ctx, output, base, braces, isArray, depth, value, isArray && value.length > ctx.maxArrayLength)
}
`
