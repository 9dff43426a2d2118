/** Builds the HTTP response to an MCP request that the route rejects: a JSON-RPC error without a request id. */

/** A rejected request: the status, the message and the headers of its response. */
export class McpRejection {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.message = message
    this.headers = headers
  }

  static retryAfter(status: 429 | 503, message: string, seconds: number): McpRejection {
    return new McpRejection(status, message, { "retry-after": String(seconds) })
  }

  static get unavailable(): McpRejection {
    return McpRejection.retryAfter(503, "the server cannot run commands at the moment", 1)
  }

  /** The response: a JSON-RPC error without a request id. */
  response(): Response {
    const error = { code: -32_000, message: `mcp: ${this.message}` }
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error }), {
      status: this.status,
      headers: { "content-type": "application/json", "cache-control": "no-store", ...this.headers },
    })
  }
}
