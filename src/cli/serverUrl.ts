/** Formats the URL of a server, makes random tokens, and recognizes loopback addresses. */
/** Makes an unguessable token. */
export const makeToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Whether an address is reachable from this machine only. */
export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

/** The URL of an address and a port. */
export const serverUrl = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`
