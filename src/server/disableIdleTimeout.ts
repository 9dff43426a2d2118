/**
 * Bun's habit of hanging up on silent connections.
 *
 * @module
 */
import * as Predicate from "effect/Predicate"

interface BunServer {
  readonly timeout: (request: Request, seconds: number) => void
}

const isBunServer = (u: unknown): u is BunServer =>
  "Bun" in globalThis && Predicate.hasProperty(u, "timeout") && typeof u.timeout === "function"

// Bun's default. What the server was set to cannot be asked for.
const idleSeconds = 10

/**
 * Keeps a connection open while its command is silent: `Bun.serve` closes it after 10 seconds without a byte, which
 * would cancel the command. `env` is its server when an app is served as `Bun.serve({ fetch: app.fetch })`. Calling
 * what it answers, when the run has ended, makes the connection an ordinary one again. Other runtimes have no such
 * limit.
 *
 * Source: https://bun.sh/docs/api/http, "idleTimeout" and "server.timeout".
 */
export const disableIdleTimeout = (request: Request, env: unknown): () => void => {
  const server = Predicate.hasProperty(env, "server") ? env.server : env
  if (!isBunServer(server)) return () => {}
  server.timeout(request, 0)
  return () => server.timeout(request, idleSeconds)
}
