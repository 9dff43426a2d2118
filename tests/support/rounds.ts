/** The number of rounds of a storm or of random cases: a quarter of those of a long run, which `SLUICE_ROUNDS=1` asks for. */
const share = Number(process.env["SLUICE_ROUNDS"] ?? 0.25)

export const rounds = (count: number): number => Math.max(1, Math.ceil(count * share))
