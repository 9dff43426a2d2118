/**
 * Checks the files that the redirections of a script open against the policy, rewrites redirections so that none opens
 * a connection, and tells which files have to be below a root.
 *
 * Source: bash(1) "REDIRECTION".
 *
 * @module
 */
import { staticText } from "../../shell-language/ShellLanguage.ts"
import type { FileRedirect, Parameter, Span, Word, WordPart } from "../../shell-language/ShellLanguage.ts"
import type { AccessPolicySettings } from "../accessPolicyFields.ts"
import { quoteForMessage } from "../nameMatcher.ts"
import { notAllowed, type Refusal, undecided } from "../Refusal.ts"
import { argumentsOf, textOf } from "../wordArguments.ts"

const wordOf = (value: string, span: Span): Word => ({
  _tag: "Word",
  parts: [{ _tag: "Literal", value, span }],
  braces: false,
  span,
})

const always = "/dev/null"

/** Descriptors by the names that they have as files. */
const descriptors: ReadonlyMap<string, string> = new Map([["stdin", "0"], ["stdout", "1"], ["stderr", "2"]])

/**
 * `> /dev/fd/5` as `>&5`: the file would be opened anew, and be written although 5 may only read it.
 */
const withDescriptor = (redirect: FileRedirect): FileRedirect => {
  const { fd, operator, target, variable } = redirect
  const name = /^\/dev\/(?:(std(?:in|out|err))|fd\/(\d+))$/.exec(textOf(target) ?? "")
  const number = name?.[2] ?? descriptors.get(name?.[1] ?? "")
  if (number === undefined || !/^(?:<|<>|>|>>|>\|)$/.test(operator)) return redirect
  const isRead = operator === "<" || (operator === "<>" && fd === undefined && variable === undefined)
  return { ...redirect, operator: isRead ? "<&" : ">&", target: wordOf(number, target.span) }
}

/** Whether a redirection opens a file that has to be below a root, and what for. */
export const openedFile = ({ operator, target }: FileRedirect): "r" | "w" | undefined => {
  const [part] = target.parts
  if (operator === "<<<" || operator === "<&" || (part?._tag === "ProcessSubstitution" && target.parts.length === 1)) {
    return undefined
  }
  const text = textOf(target)
  if (text !== undefined && (text === always || (operator === ">&" && /^(?:\d+-?|-)$/.test(text)))) return undefined
  return operator === "<" ? "r" : "w"
}

/** bash opens a connection where these are asked for as files. */
const network = ["/dev/tcp/", "/dev/udp/"] as const

const isPlain = ({ indirect, name, operation, subscript }: Parameter): boolean =>
  !indirect && operation === undefined && subscript === undefined && /^[A-Za-z_1-9]/.test(name)

/** `${x//\//\/.\/}`: the same path, with none of the names that bash takes for connections. */
const broken = (part: WordPart): WordPart => {
  if (part._tag === "DoubleQuoted") return { ...part, parts: part.parts.map(broken) }
  if (part._tag !== "Parameter" || !isPlain(part)) return part
  const { span } = part
  const [pattern, replacement] = [wordOf("/", span), wordOf("/./", span)]
  return { ...part, operation: { _tag: "ParameterReplace", which: "all", pattern, replacement, span } }
}

const isBroken = (part: WordPart | undefined): boolean => {
  if (part?._tag !== "Parameter" || part.operation?._tag !== "ParameterReplace" || part.indirect) return false
  const { pattern, replacement, which } = part.operation
  return which === "all" && staticText(pattern) === "/" && replacement !== undefined &&
    staticText(replacement) === "/./"
}

/** A redirection whose file is given by a variable, or is a descriptor. */
export const normalizeRedirect = (redirect: FileRedirect): FileRedirect => {
  const { target } = redirect
  return argumentsOf(target)[0]?.text === undefined
    ? { ...redirect, target: { ...target, parts: target.parts.map(broken) } }
    : withDescriptor(redirect)
}

/** What is known of a file that a variable names first: what stands behind that. */
const behindVariable = ({ parts: [part, ...more], ...word }: Word): Word | undefined => {
  const [first, ...others] = part?._tag === "DoubleQuoted" ? part.parts : [part]
  if (!isBroken(first)) return undefined
  const rest: ReadonlyArray<WordPart> = part?._tag === "DoubleQuoted" && others.length > 0
    ? [{ ...part, parts: others.flatMap((each) => each ?? []) }]
    : []
  return { ...word, parts: [...rest, ...more] }
}

/** Says why a redirection may not be, if so. */
export const checkRedirect = (
  redirect: FileRedirect,
  mode: NonNullable<AccessPolicySettings["redirects"]>,
): Refusal | undefined => {
  const { operator, target } = redirect
  if (operator === "<<<") return undefined
  const [part] = target.parts
  // Its commands are looked at as all others are.
  if (target.parts.length === 1 && part?._tag === "ProcessSubstitution" && !operator.includes("&")) return undefined
  const [only, ...more] = argumentsOf(target)
  const text = more.length === 0 ? only?.text : undefined
  const isDescriptor = operator === ">&" || operator === "<&"
  if (isDescriptor && text !== undefined && /^(?:\d+-?|-)$/.test(text)) return undefined
  if (text === always) return undefined
  const verb = operator === "<" || operator === "<&" ? "read" : "written"
  if (mode === "none" || (mode === "read" && verb === "written")) {
    return notAllowed(
      "redirects",
      text ?? operator,
      `${text === undefined ? "a file" : quoteForMessage(text)} may not be ${verb} by a redirection`,
    )
  }
  if (mode === "roots") {
    return operator === "<&" ? undecided(operator, `the descriptor of ${operator} is not known`) : undefined
  }
  const rest = isDescriptor ? undefined : behindVariable(target)
  // With a variable that is empty the rest is all of it.
  if (rest !== undefined) {
    return rest.parts.length === 0 ? undefined : checkRedirect({ ...redirect, target: rest }, mode)
  }
  const untold = undecided(operator, `the file of ${operator} is only known when it runs`)
  if (only === undefined || more.length > 0) return untold
  const head = text ?? ("head" in only ? only.head : "")
  const isNetwork = network.some((place) => head.startsWith(place) || (text === undefined && place.startsWith(head)))
  if (!isNetwork) return undefined
  return text === undefined
    ? untold
    : notAllowed("redirects", text, `${quoteForMessage(text)} is a connection, and no file`)
}
