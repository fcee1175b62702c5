import { gather } from "./gather";

export default gather(import.meta.glob("../**/locales/de.json", { eager: true, import: "default" }));
