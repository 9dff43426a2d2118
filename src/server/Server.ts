/**
 * Exports what all HTTP routes share. Not Hono's middleware: its `cors` does not refuse the requests of other origins,
 * as the MCP route must, and request bodies are read within a time as well as a size.
 */
export { type Cors, type CorsHeaderNames, type CorsOptions, makeCors } from "./cors.ts"
export { disableIdleTimeout } from "./disableIdleTimeout.ts"
export type { DisposeOptions } from "./DisposeOptions.ts"
export { InFlightCounter } from "./InFlightCounter.ts"
export { readBody } from "./readBody.ts"
export type { SharedServices } from "./SharedServices.ts"
export { type NodeUpgrade, type SocketConnection, type SocketEvents, upgradeWebSocket } from "./upgradeWebSocket.ts"
