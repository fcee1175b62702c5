declare module "swagger-ui-dist/swagger-ui-es-bundle" {
  interface Options {
    domNode: HTMLElement | null;
    url: string;
    deepLinking: boolean;
    /** The service that validates the document; null for none. */
    validatorUrl: null;
    docExpansion: "none" | "list" | "full";
    defaultModelsExpandDepth: number;
  }
  export default function SwaggerUI(options: Options): unknown;
}
