// Pictures and other files that were sent to the hub, as they stand in texts.

import { useEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactNode } from 'react';

import { saveFile, takePicture } from '../api/files.ts';

const soon = '800px'; // So far from being seen it is fetched.

export function Picture({ address, alt }: { address: string; alt: string }) {
  const box = useRef<HTMLAnchorElement>(null);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let picture: ReturnType<typeof takePicture> | undefined;
    let isCurrent = true;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        picture = takePicture(address);
        picture.url.then(
          (there) => isCurrent && setUrl(there),
          () => {}, // Its name stays in its place.
        );
      },
      { rootMargin: soon },
    );
    if (box.current) observer.observe(box.current);
    return () => {
      isCurrent = false;
      observer.disconnect();
      picture?.drop();
    };
  }, [address]);
  return (
    <a
      ref={box}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-block max-w-full"
    >
      {url ? (
        <img src={url} alt={alt} className="border-line max-h-96 max-w-full rounded border" />
      ) : (
        <span className="text-faint">{alt}</span>
      )}
    </a>
  );
}

type LinkProps = { address: string; className: string; children: ReactNode };

export function FileLink({ address, className, children }: LinkProps) {
  const [failure, setFailure] = useState('');
  const save = (event: MouseEvent) => {
    event.preventDefault();
    setFailure('');
    saveFile(address).catch((error: Error) => setFailure(error.message));
  };
  return (
    <>
      <a href={address} download="" className={className} onClick={save}>
        {children}
      </a>
      {failure && (
        <span role="alert" className="text-bad">
          {' '}
          {failure}
        </span>
      )}
    </>
  );
}
