import { gather } from "./gather";

export default gather(import.meta.glob("../**/locales/en.json", { eager: true, import: "default" }));
