/** Disables the idle timeout of a connection under `Bun.serve`, and returns the function that restores it. */
import * as Predicate from "effect/Predicate"

interface BunServer {
  readonly timeout: (request: Request, seconds: number) => void
}

const isBunServer = (u: unknown): u is BunServer =>
  "Bun" in globalThis && Predicate.hasProperty(u, "timeout") && typeof u.timeout === "function"

// Bun's default: the server's own setting cannot be read.
const idleSeconds = 10

/**
 * Disables the idle timeout of a connection, and returns the function that restores it. `Bun.serve` closes a connection
 * after 10 seconds without a byte, which would cancel a silent command. `env` is Bun's server if the app is served as
 * `Bun.serve({ fetch: app.fetch })`. Does nothing on other runtimes.
 *
 * Source: https://bun.sh/docs/api/http, "idleTimeout" and "server.timeout".
 */
export const disableIdleTimeout = (request: Request, env: unknown): () => void => {
  const server = Predicate.hasProperty(env, "server") ? env.server : env
  if (!isBunServer(server)) return () => {}
  server.timeout(request, 0)
  return () => server.timeout(request, idleSeconds)
}
