import "../../../mod.ts";
