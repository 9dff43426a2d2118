import { defineConfig } from "vitest/config"

export default defineConfig({
  // Tests import the package by its own name, as users do.
  resolve: { alias: [{ find: /^@sluice\/shell$/, replacement: new URL("./mod.ts", import.meta.url).pathname }] },
  test: {
    include: ["tests/**/*.test.ts"],
    // The forks pool crashes on Bun; one pool for all runtimes keeps them comparable.
    pool: "threads",
    testTimeout: 20_000,
    maxWorkers: 2
  }
})
