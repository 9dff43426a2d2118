/** Splits HTML into tags and texts, in linear time. Source: HTML Living Standard "Tokenization", without its errors. */
import { decodeEntities } from "./entities.ts"

export type HtmlToken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: "close"; readonly name: string }

/** Elements whose content is text: tags in it are none. */
const textElements = new Set(["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"])

/** Attributes that the converter asks for. */
const wantedAttributes = new Set(["alt", "class", "href", "src", "start", "title"])

/** Longest text of a token: longer ones are split. */
const maxTextLength = 16_384

const maxReferenceLength = 16

const attribute = /[\s/]*([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/y
const tagName = /<(\/?)([a-zA-Z][^\s/>]*)/y

/** Reads the attributes from `at` on. Returns them with the end of the tag, -1 if it has none. */
const readAttributes = (html: string, at: number): readonly [attributes: Map<string, string>, end: number] => {
  const attributes = new Map<string, string>()
  attribute.lastIndex = at
  let end = at
  for (let match = attribute.exec(html); match !== null; match = attribute.exec(html)) {
    end = attribute.lastIndex
    const [, name = "", double, single, bare] = match
    const key = name.toLowerCase()
    if (!wantedAttributes.has(key) || attributes.has(key)) continue
    attributes.set(key, decodeEntities(double ?? single ?? bare ?? ""))
  }
  return [attributes, html.indexOf(">", end)]
}

const textsOf = function* (text: string): Generator<HtmlToken> {
  for (let at = 0; at < text.length;) {
    // A reference is not split.
    let end = Math.min(text.length, at + maxTextLength)
    const reference = text.slice(end - maxReferenceLength, end).lastIndexOf("&")
    if (end < text.length && reference >= 0) end += reference - maxReferenceLength
    yield { type: "text", text: decodeEntities(text.slice(at, end)) }
    at = end
  }
}

/** Yields the tokens of a document. Comments, declarations and what has no end are left out. */
export function* tokenizeHtml(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length;) {
    const next = html.indexOf("<", at)
    yield* textsOf(html.slice(at, next < 0 ? html.length : next))
    if (next < 0) return
    tagName.lastIndex = next
    const tag = tagName.exec(html)
    if (tag === null) {
      const isMarkup = /[!?/]/.test(html[next + 1] ?? "")
      if (!isMarkup) yield { type: "text", text: "<" }
      const isComment = html.startsWith("<!--", next)
      const end = !isMarkup ? next : html.indexOf(isComment ? "-->" : ">", next + (isComment ? 2 : 0))
      if (end < 0) return
      at = end + (isComment ? 3 : 1)
      continue
    }
    const name = (tag[2] ?? "").toLowerCase()
    const [attributes, end] = readAttributes(html, tagName.lastIndex)
    if (end < 0) return
    at = end + 1
    if (tag[1] === "/") {
      yield { type: "close", name }
      continue
    }
    yield { type: "open", name, attributes }
    if (!textElements.has(name)) continue
    const closing = new RegExp(`</${name}[\\s/>]`, "gi")
    closing.lastIndex = at
    const stop = closing.exec(html)?.index ?? html.length
    yield* textsOf(html.slice(at, stop))
    at = stop
  }
}
