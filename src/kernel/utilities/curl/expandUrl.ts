/** Expands the sets and ranges of a URL of curl: `{a,b}`, `[1-3]`, `[001-100:10]`, `[a-z]`. Source: curl(1) "URL". */
import { UtilityExit } from "../shared/UtilityExit.ts"

type Segment = ReadonlyArray<string>

/** Maximum number of URLs of one pattern, and of their characters together. */
const maxUrls = 100_000
const maxCharacters = 16_777_216

/** A URL, and the parts that `#1`, `#2` in the name of its output stand for. */
export interface ExpandedUrl {
  readonly url: string
  readonly parts: ReadonlyArray<string>
}

const range = (text: string): Segment | undefined => {
  const [, from = "", to = "", step = "1"] = /^(\w+)-(\w+)(?::(\d+))?$/.exec(text) ?? []
  const by = Number(step)
  if (by < 1) return undefined
  if (/^\d+$/.test(from) && /^\d+$/.test(to)) {
    const [first, last] = [Number(from), Number(to)]
    if (last < first || (last - first) / by > maxUrls) return undefined
    const width = from.startsWith("0") ? from.length : 1
    return Array.from(
      { length: Math.floor((last - first) / by) + 1 },
      (_, at) => String(first + at * by).padStart(width, "0"),
    )
  }
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)]
  if (!/^([a-z]-[a-z]|[A-Z]-[A-Z])$/.test(`${from}-${to}`) || last < first) return undefined
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, at) => String.fromCharCode(first + at * by))
}

const fail = (problem: string, url: string, at: number): never => {
  throw new UtilityExit(3, `(3) ${problem} in URL position ${at}:\n${url}\n${" ".repeat(Math.max(0, at - 1))}^`)
}

/** An IPv6 address in brackets is not a range. */
const isAddress = (text: string): boolean => /^[\da-f]*:[\da-f:.]*(%.*)?$/i.test(text)

/** Yields the URLs one by one, because together they may be long. */
export function* expandUrl(url: string): Generator<ExpandedUrl> {
  /** Texts at even indexes, sets and ranges at odd ones. */
  const segments: Array<Segment> = []
  let literal = ""
  let count = 1
  const push = (parts: Segment): void => {
    segments.push([literal], parts)
    literal = ""
    count *= parts.length
    if (count <= maxUrls && count * url.length <= maxCharacters) return
    throw new UtilityExit(3, `(3) more URLs than fit into memory in ${url.slice(0, 200)}`)
  }
  for (let at = 0; at < url.length; at++) {
    const character = url[at] ?? ""
    if (character === "\\" && /[{}[\]]/.test(url[at + 1] ?? "")) literal += url[++at]
    else if (character === "{") {
      const close = url.indexOf("}", at)
      if (close < 0) return fail("unmatched brace", url, at + 1)
      push(url.slice(at + 1, close).split(","))
      at = close
    } else if (character === "[") {
      const close = url.indexOf("]", at)
      const inner = url.slice(at + 1, close < 0 ? undefined : close)
      if (close >= 0 && (isAddress(inner) || inner === "")) literal += `[${inner}]`
      else push((close < 0 ? undefined : range(inner)) ?? fail("bad range", url, (close < 0 ? at : close) + 2))
      at = close
    } else if (character === "}" || character === "]") return fail("unmatched close brace/bracket", url, at + 1)
    else literal += character
  }
  segments.push([literal])
  for (let index = 0; index < count; index++) {
    const chosen: Array<string> = []
    let rest = index
    // The last segment changes fastest.
    for (const segment of segments.toReversed()) {
      chosen.push(segment[rest % segment.length] ?? "")
      rest = Math.floor(rest / segment.length)
    }
    chosen.reverse()
    yield { url: chosen.join(""), parts: chosen.filter((_, at) => at % 2 === 1) }
  }
}
