/** Declares the Http branch: URL requests are its requests; responses and faults its events. */
import { makeServiceBranch, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { HttpFault, type HttpFaultKind, HttpFetch, HttpResponse } from "./HttpEntry.ts"

export const httpFault = (
  { correlationId, method, url }: Pick<HttpFetch, "correlationId" | "method" | "url">,
  faultKind: HttpFaultKind,
  what: string,
): HttpFault => new HttpFault({ correlationId, faultKind, url, message: `${method} ${url}: ${what}` })

/**
 * The Http branch.
 *
 * @example
 * ```ts
 * import { HttpBranch, HttpFetch } from "@sluice/shell/fetch"
 *
 * console.log(HttpBranch.canRerun(HttpFetch.make({ url: "https://example.org/" }))) // true
 * console.log(HttpBranch.canRerun(HttpFetch.make({ url: "https://example.org/", method: "POST" }))) // false
 * ```
 */
export const HttpBranch: ServiceBranch<HttpFetch, HttpResponse, HttpFault> = makeServiceBranch({
  name: "http",
  request: { tags: ["HttpFetch"], schema: HttpFetch },
  event: { tags: ["HttpResponse"], schema: HttpResponse },
  fault: { tags: ["HttpFault"], schema: HttpFault },
  bytes: ["body"],
  makeFault: (request, { kind, what }) => httpFault(request, kind === "NotTaken" ? "Timeout" : "Broken", what),
  // The methods that RFC 9110 calls safe.
  canRerun: ({ method }) => /^(GET|HEAD|OPTIONS)$/.test(method),
})
