/** Names the file of a URL as wget does. Source: wget(1) "--restrict-file-names". */
import { decodePart } from "../http/decodePart.ts"

// deno-lint-ignore no-control-regex -- wget escapes control characters in names
const control = /[\x00-\x1f\x7f]/g

export const nameOf = (url: URL): string => {
  const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1)
  const name = last === "" ? "index.html" : last
  const decoded = decodePart(name)
  const query = url.search.slice(0, 200)
  const whole = (decoded + query).replaceAll("/", "%2F")
  const safe = whole.replace(control, (character) => encodeURIComponent(character))
  return /^\.{1,2}$/.test(safe) ? `%2E${safe.slice(1)}` : safe
}
