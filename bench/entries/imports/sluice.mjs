import "../../../mod.ts"
