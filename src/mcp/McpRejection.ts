/**
 * HTTP response to a request that is rejected before Effect's MCP server sees it.
 *
 * @module
 */

/** A request that is turned away: the status, why, and the headers to say it with. */
export class McpRejection {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.message = message
    this.headers = headers
  }

  /** One that may be sent again in so many seconds. */
  static retryAfter(status: 429 | 503, message: string, seconds: number): McpRejection {
    return new McpRejection(status, message, { "retry-after": String(seconds) })
  }

  /** While nothing can be run, or will be any more. */
  static get unavailable(): McpRejection {
    return McpRejection.retryAfter(503, "no commands are run at the moment", 1)
  }

  /** As an answer: a JSON-RPC error of nobody's request. */
  response(): Response {
    const error = { code: -32_000, message: `mcp: ${this.message}` }
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error }), {
      status: this.status,
      headers: { "content-type": "application/json", "cache-control": "no-store", ...this.headers },
    })
  }
}
