/**
 * The files that a script's redirections open.
 *
 * Source: bash(1) "REDIRECTION".
 *
 * @module
 */
import type { FileRedirect } from "../../../shell-language/ShellLanguage.ts"
import type { AccessPolicySettings } from "../fields.ts"
import { shown } from "../names.ts"
import { notAllowed, type Refusal, undecided } from "../Refusal.ts"
import { argumentsOf } from "../words.ts"

const always = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/

/** bash opens a connection where these are asked for as files. */
const network = ["/dev/tcp/", "/dev/udp/"] as const

/** Says why a redirection may not be, if so. */
export const redirectRefusal = (
  { operator, target }: FileRedirect,
  mode: NonNullable<AccessPolicySettings["redirects"]>,
): Refusal | undefined => {
  if (operator === "<<<") return undefined
  const [part] = target.parts
  // Its commands are looked at as all others are.
  if (target.parts.length === 1 && part?._tag === "ProcessSubstitution" && !operator.includes("&")) return undefined
  const [only, ...more] = argumentsOf(target)
  if (only === undefined || more.length > 0) {
    return undecided(operator, `the file of ${operator} is only known when it runs`)
  }
  const text = only.text
  if ((operator === ">&" || operator === "<&") && text !== undefined && /^(?:\d+-?|-)$/.test(text)) return undefined
  if (text !== undefined && always.test(text)) return undefined
  const verb = operator === "<" || operator === "<&" ? "read" : "written"
  if (mode === "none" || (mode === "read" && verb === "written")) {
    return notAllowed("redirects", text ?? operator, `${shown(text ?? "a file")} may not be ${verb} by a redirection`)
  }
  const head = text ?? ("head" in only ? only.head : "")
  const isNetwork = network.some((place) => head.startsWith(place) || (text === undefined && place.startsWith(head)))
  if (text !== undefined && isNetwork) {
    return notAllowed("redirects", text, `${shown(text)} is a connection, and no file`)
  }
  return isNetwork ? undecided(operator, `the file of ${operator} is only known when it runs`) : undefined
}
