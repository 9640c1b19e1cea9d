package toy;

/** A queue. */
public interface Cup<E> {
    boolean put(E element);

    E get();
}
