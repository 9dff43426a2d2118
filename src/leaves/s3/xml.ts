/** Parses the XML of S3's answers: elements, text and entities, strictly, without document types. */
import * as Result from "effect/Result"

/** An element. `text` is its own text, without that of its children. */
export interface XmlElement {
  readonly name: string
  readonly text: string
  readonly children: ReadonlyArray<XmlElement>
}

const maxDepth = 16

const namePattern = "[A-Za-z_][\\w.:-]*"
const attribute = `\\s+${namePattern}\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`
const tokenPattern = new RegExp(`</(${namePattern})\\s*>|<(${namePattern})(?:${attribute})*\\s*(/?)>|([^<]+)`, "y")

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }

/** Replaces the entities of a text; `undefined` for an entity that needs a document type. */
const decodeText = (text: string): string | undefined => {
  let isWrong = false
  const decoded = text.replace(/&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(\w{1,8}));|&/g, (_, decimal, hex, name) => {
    const point = decimal === undefined ? hex === undefined ? undefined : parseInt(hex, 16) : Number(decimal)
    const value = point === undefined
      ? name === undefined ? undefined : entities[name]
      : point <= 0x10ffff
      ? String.fromCodePoint(point)
      : undefined
    isWrong ||= value === undefined
    return value ?? ""
  })
  return isWrong ? undefined : decoded
}

/** Parses a document; the failure says what is wrong. The caller bounds its length. */
export const parseXml = (document: string): Result.Result<XmlElement, string> => {
  const source = document.replace(/^\uFEFF?\s*(?:<\?xml\s[^<>]*\?>)?/, "").trimEnd()
  const open: Array<{ readonly name: string; text: string; readonly children: Array<XmlElement> }> = []
  let root: XmlElement | undefined
  const close = (): void => {
    const element = open.pop()
    if (element === undefined) return
    const parent = open.at(-1)
    if (parent === undefined) root = element
    else parent.children.push(element)
  }
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < source.length) {
    const at = tokenPattern.lastIndex
    const match = tokenPattern.exec(source)
    if (match === null) return Result.fail(`it is not XML at character ${at}`)
    const [, closed, opened, isEmpty, raw] = match
    const current = open.at(-1)
    if (raw !== undefined) {
      const text = decodeText(raw)
      if (text === undefined) return Result.fail(`it has an unknown entity after character ${at}`)
      if (current !== undefined) current.text += text
      else if (text.trim() !== "") return Result.fail("it has text outside of its element")
    } else if (opened !== undefined) {
      if (root !== undefined) return Result.fail("it has two elements")
      if (open.length === maxDepth) return Result.fail(`its elements are nested more than ${maxDepth} deep`)
      open.push({ name: opened.replace(/^.*:/, ""), text: "", children: [] })
      if (isEmpty === "/") close()
    } else {
      if (current === undefined || closed?.replace(/^.*:/, "") !== current.name) {
        return Result.fail(`it has a mismatched end tag at character ${at}`)
      }
      close()
    }
  }
  return root === undefined ? Result.fail("it ends too early") : Result.succeed(root)
}

export const childText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text

export const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => character === "&" ? "&amp;" : character === "<" ? "&lt;" : "&gt;")
