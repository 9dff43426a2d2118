/**
 * The share of a long run's cases: a quarter in `npm run test:all` and for a single file, a twentieth in `npm test`.
 * `SLUICE_ROUNDS=1` asks for the long run.
 */
const share = Number(process.env["SLUICE_ROUNDS"] ?? (process.env["SLUICE_SUITE"] === "usual" ? 0.05 : 0.25))

/** The number of rounds of a storm or of random cases, of those of a long run. */
export const rounds = (count: number): number => Math.max(1, Math.ceil(count * share))

/** The number of cheap random cases: all from `npm run test:all` on, a fifth in `npm test`. */
export const cases = (count: number): number => rounds(count * Math.min(4, 1 / share))
