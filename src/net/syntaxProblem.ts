/** Checks the parts of an HTTP request that come from callers (RFC 9110, sections 5.5 and 5.6.2). */
import { quote } from "../base/quote.ts"

/** The problem with a method or with headers; `undefined` if they can be sent. */
export const syntaxProblem = (method: string, headers: Readonly<Record<string, string>>): string | undefined => {
  if (!/^[A-Z]{1,20}$/.test(method)) return "a method is a word of capital letters"
  const invalid = Object.entries(headers).find(([name, value]) =>
    !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value)
  )
  return invalid === undefined ? undefined : `the header ${quote(invalid[0])} has characters other than visible ASCII`
}
